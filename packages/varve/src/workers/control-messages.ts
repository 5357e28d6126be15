/** The messages between the owner of the store and its workers besides those of the store: Node's own channel, as JSON. */
import type { BucketDefaults, DialectName, Identity, IdentityFields, RequestLog, Signatures } from '@varve/http'
import type { KeyMaterial } from '../keyring/key-material.ts'
import type { PlainError } from './plain-error.ts'

export interface WorkerSettings {
  readonly dir: string
  readonly region: string
  readonly dialect: DialectName
  readonly hostSuffixes?: readonly string[]
  readonly websiteSuffixes?: readonly string[]
  readonly trustedProxies?: readonly string[]
  readonly notificationTargets: readonly string[]
  readonly signatures?: Signatures
  readonly bucketDefaults?: BucketDefaults
  readonly identities: readonly IdentityFields[]
  /** What its objects are encrypted with. */
  readonly keyring: KeyMaterial
  /** Report every request, and not only failures of the server. */
  readonly logRequests: boolean
  /** Among how many the bounds of one server are divided. */
  readonly workers: number
}

export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings }
  /** A connection comes with it. Until the worker takes it, its owner may give it to another. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Finish what is under way, for so many milliseconds, and end. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export type FromWorker =
  | { readonly kind: 'ready' }
  /** Sent before anything is read of it. */
  | { readonly kind: 'taken'; readonly id: number }
  /** It cannot start. */
  | { readonly kind: 'refused'; readonly error: PlainError }
  /** It ends, and has sent all its messages. */
  | { readonly kind: 'done' }
  | { readonly kind: 'request'; readonly entry: RequestLog; readonly error?: PlainError }

/** With the secret, which no copy of an identity has. */
export const fieldsOf = (identity: Identity): IdentityFields => ({
  ...identity,
  secretAccessKey: identity.secretAccessKey,
})
