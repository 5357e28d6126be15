/** What a policy trial is about: documents as people write them, buckets, objects, and requests. Plain data, shared by both sides. */

export interface Identity {
  readonly id: string
  readonly name: string
  readonly root: boolean
  readonly policy?: PolicyDocument
}

export type Values = string | boolean | number | readonly (string | boolean | number)[]

export interface StatementDocument {
  readonly Effect: 'Allow' | 'Deny'
  readonly Principal?: '*' | Readonly<Record<string, string | readonly string[]>>
  readonly NotPrincipal?: '*' | Readonly<Record<string, string | readonly string[]>>
  readonly Action?: string | readonly string[]
  readonly NotAction?: string | readonly string[]
  readonly Resource?: string | readonly string[]
  readonly NotResource?: string | readonly string[]
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, Values>>>>
}

export interface PolicyDocument {
  readonly Version: '2012-10-17' | '2008-10-17'
  readonly Statement: readonly StatementDocument[]
}

export type Permission = 'READ' | 'WRITE' | 'READ_ACP' | 'WRITE_ACP' | 'FULL_CONTROL'
export type Group = 'AllUsers' | 'AuthenticatedUsers' | 'LogDelivery'

export interface Acl {
  readonly owner: string
  readonly grants: readonly {
    readonly grantee: { readonly id: string } | { readonly group: Group }
    readonly permission: Permission
  }[]
}

export interface StoredObject {
  readonly owner: string
  readonly acl?: Acl
  readonly tags: Readonly<Record<string, string>>
}

export interface Bucket {
  readonly name: string
  readonly owner: string
  readonly policy?: PolicyDocument
  readonly acl?: Acl
  readonly ownership?: 'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter'
  readonly ignorePublicAcls: boolean
  readonly restrictPublicBuckets: boolean
  /** By key, or by `key@version`. */
  readonly objects: Readonly<Record<string, StoredObject>>
}

export interface World {
  readonly people: readonly Identity[]
  readonly buckets: Readonly<Record<string, Bucket>>
  /** The initiator of the one upload there is. */
  readonly initiator: string
}

export interface Request {
  /** S3's name. */
  readonly operation: string
  readonly who: Identity | undefined
  readonly bucket: string
  /** Only for operations on objects. */
  readonly key: string
  readonly versionId?: string
  readonly source?: { readonly bucket: string; readonly key: string; readonly versionId?: string }
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The values of the body, by condition key. */
  readonly body: Readonly<Record<string, readonly string[]>>
  readonly signed: 'REST-HEADER' | 'REST-QUERY-STRING' | undefined
  readonly secure: boolean
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** `absent`: the requester may know that there is no such object. */
export type Verdict = 'allowed' | 'denied' | 'absent'
