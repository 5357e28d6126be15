/**
 * A user with an access key. The secret is an accessor that is not enumerable, so code that prints, copies or
 * serialises the object does not find it. `inspect` and `toJSON` show that a secret is hidden.
 */

import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import type { Policy } from '../policies/policy.ts'
import type { Role } from './role.ts'

/** The fields that a caller gives for an identity. */
export interface IdentityFields {
  /** Unique name, for people. */
  readonly name: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Canonical id, which buckets and events store. Unique. @default SHA-256 of the name, 64 hexadecimal digits */
  readonly id?: string
  /** @default the name */
  readonly displayName?: string
  readonly email?: string
  /** May do everything; has no policy. @default false */
  readonly root?: boolean
  /** Without one, an identity may create buckets and do everything in its own. */
  readonly policy?: Policy
}

/** A user of the server: a name, an access key and what it may do. */
export interface Identity extends IdentityFields {
  readonly id: string
  readonly displayName: string
  readonly root: boolean
  /** Present for temporary credentials. */
  readonly session?: SessionFacts
  /** What every request of temporary credentials carries. Hidden like the secret. */
  readonly sessionToken?: string
}

/** What temporary credentials depend on. */
export interface SessionFacts {
  readonly parent: Identity
  readonly role: Role | undefined
  /** The name of a session of a role. */
  readonly sessionName?: string
  /** Milliseconds since the epoch. */
  readonly issuedAt?: number
  /** Beyond it, the session may do nothing. */
  readonly ceiling?: Policy
}

const redacted = '[redacted]'

/** Fills in the defaults. Checks nothing: see `createIdentity`. A spread or a clone of the result has no secret. */
export function identityOf(fields: IdentityFields, temporary?: SessionFacts & { readonly token: string }): Identity {
  const { secretAccessKey, name } = fields
  const shown = {
    name,
    id: fields.id ?? canonicalId(name),
    displayName: fields.displayName ?? name,
    ...(fields.email !== undefined && { email: fields.email }),
    accessKeyId: fields.accessKeyId,
    root: fields.root ?? false,
    ...(fields.policy !== undefined && { policy: fields.policy }),
  }
  const { token, ...session } = temporary ?? { token: undefined }
  const safe = { ...shown, secretAccessKey: redacted }
  const identity = Object.defineProperties(shown, {
    secretAccessKey: { get: () => secretAccessKey },
    ...(token !== undefined && { sessionToken: { get: () => token }, session: { value: session } }),
    toJSON: { value: () => safe },
    [inspect.custom]: { value: () => safe },
  }) as Identity
  return Object.freeze(identity)
}

/** The default id of a name. It is the same on every server and never changes. */
export function canonicalId(name: string): string {
  return createHash('sha256').update(name, 'utf8').digest('hex')
}
