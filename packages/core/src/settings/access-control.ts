/** Access control lists, object ownership and public access blocks, in S3's terms. */
export type AclPermission = 'FULL_CONTROL' | 'READ' | 'READ_ACP' | 'WRITE' | 'WRITE_ACP'

/** `AllUsers`: everyone, also without credentials. `AuthenticatedUsers`: everyone with credentials. */
export type AclGroup = 'AllUsers' | 'AuthenticatedUsers' | 'LogDelivery'

/** The receiver of a grant: an account, by its canonical id, or a group. */
export type Grantee = { readonly id: string } | { readonly group: AclGroup }

/** One permission for one account or group. */
export interface Grant {
  readonly grantee: Grantee
  readonly permission: AclPermission
}

/** The permissions on a bucket or an object, in addition to policies. */
export interface AccessControlList {
  /** The id of the owner. */
  readonly owner: string
  /** In the order in which they were given. */
  readonly grants: readonly Grant[]
}

/** The object ownership of a bucket. `BucketOwnerEnforced` turns ACLs off. */
export type ObjectOwnership = 'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter'

/** The four switches of S3's Block Public Access, for a bucket. */
export interface PublicAccessBlock {
  readonly blockPublicAcls: boolean
  readonly ignorePublicAcls: boolean
  readonly blockPublicPolicy: boolean
  readonly restrictPublicBuckets: boolean
}
