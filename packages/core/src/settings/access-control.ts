/** Access control lists, object ownership and public access blocks, in S3's terms. */
export type AclPermission = 'FULL_CONTROL' | 'READ' | 'READ_ACP' | 'WRITE' | 'WRITE_ACP'

/** `AllUsers`: everybody, with credentials or without. `AuthenticatedUsers`: everybody with credentials. */
export type AclGroup = 'AllUsers' | 'AuthenticatedUsers' | 'LogDelivery'

/** The account, by its canonical id, or the group that a grant is for. */
export type Grantee = { readonly id: string } | { readonly group: AclGroup }

/** One permission for one account or group. */
export interface Grant {
  readonly grantee: Grantee
  readonly permission: AclPermission
}

/** Who may do what with a bucket or an object, beside policies. */
export interface AccessControlList {
  /** Id of the owner. */
  readonly owner: string
  /** In the order given. */
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
