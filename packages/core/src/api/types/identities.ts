/** Options and facts of identities. */
import type { Actor } from '../../events/index.ts'
import type { AccessKeyPair } from '../../ports/index.ts'
import type { IdentityQuota } from '../../settings/quota.ts'

/** The policies of an identity, as the texts of IAM policy documents. */
export interface IdentityPolicies {
  /** What it may do. Absent: it may create buckets, and do everything in its own. */
  readonly policy?: string
  /** Makes it a role: who may assume it. A role has no access keys. */
  readonly trust?: string
}

/** What a new identity is. */
export interface IdentityOptions extends IdentityPolicies {
  /** What buckets and events call it. No other identity ever has it. @default 64 random hexadecimal digits */
  readonly id?: string
  /** @default the name */
  readonly displayName?: string
  readonly email?: string
  /** The first access key of a user. @default a new one */
  readonly key?: AccessKeyPair
}

/** An access key that is valid. Nothing shows its secret again. */
export interface AccessKeyInfo {
  readonly accessKeyId: string
  readonly createdAt: Date
}

/** What all buckets together have that an identity owns: what its quota limits. */
export interface IdentityUsage {
  /** The stored bytes. */
  readonly bytes: number
  readonly buckets: number
}

/** A user or a role. */
export interface IdentityInfo extends IdentityPolicies {
  readonly id: string
  readonly name: string
  readonly displayName: string
  readonly email?: string
  /** At most two, the older one first. */
  readonly accessKeys: readonly AccessKeyInfo[]
  /** Absent: it has none. */
  readonly quota?: IdentityQuota
  /** What it owns. */
  readonly usage: IdentityUsage
  readonly createdAt: Date
  readonly createdBy: Actor
}

/** A new identity with its only access key, which a role does not have. */
export interface CreatedIdentity {
  readonly identity: IdentityInfo
  readonly key?: AccessKeyPair
}

/** What a server needs of identities to verify signatures. */
export interface IdentityCredentials {
  /** All identities, each with its valid keys whose secrets can be read. */
  readonly identities: readonly { readonly identity: IdentityInfo; readonly keys: readonly AccessKeyPair[] }[]
  /** The access key ids that the log has named, valid or not, with the ids of their identities. */
  readonly knownKeys: ReadonlyMap<string, { readonly id: string; readonly isRevoked: boolean }>
  /** The ids of identities that were removed. */
  readonly removedIds: ReadonlySet<string>
  /** Seals the tokens of temporary credentials. Absent in a store without a place for secrets. */
  readonly tokenKey: Uint8Array | undefined
}
