import type { IdentityEventType, RecordedEvent } from '../events/index.ts'
import {
  accessKeyTable,
  identityCountKey,
  identityNameTable,
  identityQuotaTable,
  type IdentityRow,
  identityTable,
  retiredIdentityTable,
} from './identity-tables.ts'
import type { RowTransaction } from './row-transaction.ts'

/** A salvaged log may lack the event that created an identity. What then concerns it has no effect. */
export async function projectIdentity(rows: RowTransaction, event: RecordedEvent<IdentityEventType>): Promise<void> {
  switch (event.type) {
    case 'IdentityCreated':
      return create(rows, event)
    case 'IdentityPolicySet': {
      const { id, ...policies } = event.data
      return change(rows, { id, seq: event.seq }, ({ policy: _policy, trust: _trust, ...row }) => ({
        ...row,
        ...policies,
      }))
    }
    case 'IdentityQuotaSet':
      return setQuota(rows, event)
    case 'AccessKeyAdded': {
      const { identity, accessKeyId } = event.data
      const { seq, at } = event
      rows.put(accessKeyTable.key(accessKeyId), { identity })
      return change(rows, { id: identity, seq }, (row) => ({ ...row, keys: [...row.keys, { accessKeyId, at }] }))
    }
    case 'AccessKeyRevoked': {
      const { identity, accessKeyId } = event.data
      const { seq } = event
      rows.put(accessKeyTable.key(accessKeyId), { identity, revoked: seq })
      return change(rows, { id: identity, seq }, (row) => ({
        ...row,
        keys: row.keys.filter((key) => key.accessKeyId !== accessKeyId),
      }))
    }
    case 'IdentityRemoved':
      return remove(rows, event)
  }
}

async function create(rows: RowTransaction, event: RecordedEvent<'IdentityCreated'>): Promise<void> {
  const { seq, at, by } = event
  const { id, ...data } = event.data
  rows.put(identityTable.key(id), { ...data, keys: [], at, by, since: seq })
  rows.put(identityNameTable.key(data.name), { id })
  await count(rows, 1)
}

async function setQuota(rows: RowTransaction, { seq, data }: RecordedEvent<'IdentityQuotaSet'>): Promise<void> {
  const { id, ...quota } = data
  if ((await rows.get(identityTable.key(id))) === undefined) return
  if (quota.bytes === undefined && quota.buckets === undefined) rows.delete(identityQuotaTable.key(id))
  else rows.put(identityQuotaTable.key(id), quota)
  await change(rows, { id, seq }, (row) => row)
}

async function remove(rows: RowTransaction, { seq, data: { id } }: RecordedEvent<'IdentityRemoved'>): Promise<void> {
  rows.put(retiredIdentityTable.key(id), { removed: seq })
  const row = await rows.get(identityTable.key(id))
  if (row === undefined) return
  rows.delete(identityTable.key(id))
  rows.delete(identityNameTable.key(row.name))
  rows.delete(identityQuotaTable.key(id))
  for (const { accessKeyId } of row.keys) rows.put(accessKeyTable.key(accessKeyId), { identity: id, revoked: seq })
  await count(rows, -1)
}

async function change(
  rows: RowTransaction,
  { id, seq }: { readonly id: string; readonly seq: number },
  changed: (row: IdentityRow) => IdentityRow,
): Promise<void> {
  const row = await rows.get(identityTable.key(id))
  if (row !== undefined) rows.put(identityTable.key(id), { ...changed(row), since: seq })
}

async function count(rows: RowTransaction, more: 1 | -1): Promise<void> {
  const { count: before = 0 } = (await rows.get(identityCountKey)) ?? {}
  rows.put(identityCountKey, { count: Math.max(0, before + more) })
}
