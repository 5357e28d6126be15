/** The commands that concern identities. They name identities by name; the log has their ids. */
import type { AccessKeyAdded, IdentityCreated, IdentityPolicySet, IdentityQuotaSet } from '../events/index.ts'

/** The data of each command, by type. */
export interface IdentityCommands {
  /** Creates a user, with an access key if one is given, or a role. The secret of the key is stored before. */
  readonly CreateIdentity: IdentityCreated & { readonly accessKeyId?: string }
  /** The policies of an identity, whole. */
  readonly SetIdentityPolicy: OfIdentity & Omit<IdentityPolicySet, 'id'>
  /** The quota of an identity, whole. */
  readonly SetIdentityQuota: OfIdentity & Omit<IdentityQuotaSet, 'id'>
  readonly AddAccessKey: OfIdentity & Omit<AccessKeyAdded, 'identity'>
  readonly RevokeAccessKey: OfIdentity & Omit<AccessKeyAdded, 'identity'>
  readonly RemoveIdentity: OfIdentity
}

interface OfIdentity {
  readonly name: string
}
