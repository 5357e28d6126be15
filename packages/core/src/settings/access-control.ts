/** Access control lists, object ownership and public access blocks, in S3's terms. */
export type AclPermission = 'FULL_CONTROL' | 'READ' | 'READ_ACP' | 'WRITE' | 'WRITE_ACP'

/** `AllUsers`: everybody, with credentials or without. `AuthenticatedUsers`: everybody with credentials. */
export type AclGroup = 'AllUsers' | 'AuthenticatedUsers' | 'LogDelivery'

export type Grantee = { readonly id: string } | { readonly group: AclGroup }

export interface Grant {
  readonly grantee: Grantee
  readonly permission: AclPermission
}

export interface AccessControlList {
  /** Id of the owner. */
  readonly owner: string
  /** In the order given. */
  readonly grants: readonly Grant[]
}

export type ObjectOwnership = 'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter'

export interface PublicAccessBlock {
  readonly blockPublicAcls: boolean
  readonly ignorePublicAcls: boolean
  readonly blockPublicPolicy: boolean
  readonly restrictPublicBuckets: boolean
}
