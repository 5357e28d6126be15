/** The tables of identities. They have only their newest state: no read of the past finds an old policy or a revoked key. */
import { KeyReader, KeyWriter } from '../bytes/key-codec.ts'
import type { Actor } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { IdentityQuota } from '../settings/quota.ts'
import { byte } from './table-bytes.ts'
import { type RowKey, rowKey } from './row-key.ts'
import { rangeOf } from './tables.ts'

/** An access key that is valid. */
export interface ActiveKey {
  readonly accessKeyId: string
  readonly at: number
}

/** A user or a role. */
export interface IdentityRow {
  readonly name: string
  readonly displayName?: string
  readonly email?: string
  /** The text of an IAM policy document. */
  readonly policy?: string
  /** Present in a role. */
  readonly trust?: string
  /** In the order in which they were added. */
  readonly keys: readonly ActiveKey[]
  readonly at: number
  readonly by: Actor
  /** The last event that changed this row. */
  readonly since: Seq
}

/** The identity that has a name. */
export interface IdentityNameRow {
  readonly id: string
}

/** An access key id, which belongs to one identity for ever. */
export interface AccessKeyRow {
  readonly identity: string
  /** The event that revoked it. */
  readonly revoked?: Seq
}

/** An id of an identity that was removed. */
export interface RetiredIdentityRow {
  /** The event that removed it. */
  readonly removed: Seq
}

/** How many identities there are. */
export interface IdentityCountRow {
  readonly count: number
}

/** Identities, by id. */
export const identityTable = {
  key: (id: string) => rowKey<IdentityRow>(new KeyWriter(byte.identity).text(id)),
  range: rangeOf(new KeyWriter(byte.identity)),
  id: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

export const identityNameTable = {
  key: (name: string) => rowKey<IdentityNameRow>(new KeyWriter(byte.identityName).text(name)),
} as const

/** Every access key id that the log ever named. */
export const accessKeyTable = {
  key: (accessKeyId: string) => rowKey<AccessKeyRow>(new KeyWriter(byte.accessKey).text(accessKeyId)),
  range: rangeOf(new KeyWriter(byte.accessKey)),
  accessKeyId: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

export const retiredIdentityTable = {
  key: (id: string) => rowKey<RetiredIdentityRow>(new KeyWriter(byte.retiredIdentity).text(id)),
  range: rangeOf(new KeyWriter(byte.retiredIdentity)),
  id: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

/** Quotas by the id of the identity. An identity without a quota has no row. */
export const identityQuotaTable = {
  key: (id: string) => rowKey<IdentityQuota>(new KeyWriter(byte.identityQuota).text(id)),
  range: rangeOf(new KeyWriter(byte.identityQuota)),
  id: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

export const identityCountKey: RowKey<IdentityCountRow> = rowKey(new KeyWriter(byte.identityCount))
