/** The events of identities: the users and roles that a server knows. They hold ids, names and policies, and never a secret. */
import type { IdentityQuota } from '../settings/quota.ts'

/** A user or a role was created. Its id is its for ever: no other identity gets it, also after its removal. */
export interface IdentityCreated {
  readonly id: string
  readonly name: string
  readonly displayName?: string
  readonly email?: string
  /** What it may do: the text of an IAM policy document. */
  readonly policy?: string
  /** Present in a role: who may assume it, as the text of an IAM policy document. */
  readonly trust?: string
}
/** The policies of an identity are these from now on. */
export interface IdentityPolicySet {
  readonly id: string
  /** Absent: it has none. */
  readonly policy?: string
  /** Present in a role. */
  readonly trust?: string
}
/** The quota of an identity is this one from now on. Without a limit, it has none. */
export interface IdentityQuotaSet extends IdentityQuota {
  readonly id: string
}
/** The identity is gone with its quota, and all its access keys are revoked. */
export interface IdentityRemoved {
  readonly id: string
}
/** An identity got an access key. Its secret is outside the log. */
export interface AccessKeyAdded {
  readonly identity: string
  readonly accessKeyId: string
}
/** An access key is not valid any more, and never will be again. */
export interface AccessKeyRevoked {
  readonly identity: string
  readonly accessKeyId: string
}

/** The data of each event about identities, by type. */
export interface IdentityEvents {
  readonly IdentityCreated: IdentityCreated
  readonly IdentityPolicySet: IdentityPolicySet
  readonly IdentityQuotaSet: IdentityQuotaSet
  readonly IdentityRemoved: IdentityRemoved
  readonly AccessKeyAdded: AccessKeyAdded
  readonly AccessKeyRevoked: AccessKeyRevoked
}

/** The type of an event about identities. */
export type IdentityEventType = keyof IdentityEvents

const types: ReadonlySet<string> = new Set<IdentityEventType>([
  'IdentityCreated',
  'IdentityPolicySet',
  'IdentityQuotaSet',
  'IdentityRemoved',
  'AccessKeyAdded',
  'AccessKeyRevoked',
])

/** Whether an event concerns identities: nothing that restores or undoes the past plans over it. */
export const isIdentityEvent = (type: string): type is IdentityEventType => types.has(type)
