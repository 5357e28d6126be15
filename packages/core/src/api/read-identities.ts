/** Reads the identities of the log, and the secrets of their keys. */
import type { Soon } from '../base/soon.ts'
import { noSuchIdentity } from '../decide/identities.ts'
import type { Engine } from '../engine/engine.ts'
import type { AccessKeyPair } from '../ports/index.ts'
import type { IdentityQuota } from '../settings/quota.ts'
import {
  type AccessKeyRow,
  accessKeyTable,
  identityNameTable,
  identityQuotaTable,
  type IdentityRow,
  identityTable,
  retiredIdentityTable,
} from '../views/identity-tables.ts'
import { ownerSharedTable, ownerUsageTable } from '../views/content-tables.ts'
import { loadOwned } from '../reads/quota.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { OwnerSharedRow, OwnerUsageRow } from '../views/usage-rows.ts'
import { noOwnerUsage } from '../views/usage.ts'
import type { IdentityCredentials, IdentityInfo } from './types/index.ts'

export async function readCredentials(engine: Engine): Promise<IdentityCredentials> {
  const { secrets } = engine.ports
  const { all, knownKeys, removedIds } = await readRows(engine, async (rows) => ({
    all: await allIdentities(rows),
    knownKeys: new Map(
      (await rows.all<AccessKeyRow>(accessKeyTable.range)).map(({ key, row }) => [
        accessKeyTable.accessKeyId(key),
        { id: row.identity, isRevoked: row.revoked !== undefined },
      ]),
    ),
    removedIds: new Set((await rows.all(retiredIdentityTable.range)).map(({ key }) => retiredIdentityTable.id(key))),
  }))
  const identities = await Promise.all(
    all.map(async (identity) => {
      const keys: AccessKeyPair[] = []
      for (const { accessKeyId } of identity.accessKeys) {
        const secretAccessKey = await secrets?.get(accessKeyId)
        if (secretAccessKey !== undefined) keys.push({ accessKeyId, secretAccessKey })
      }
      return { identity, keys }
    }),
  )
  return { identities, knownKeys, removedIds, tokenKey: await secrets?.tokenKey() }
}

export const readRows = async <R>(engine: Engine, read: (rows: Rows) => Soon<R>): Promise<R> => {
  engine.assertOpen()
  return engine.withSnapshot((reader) => read(committedRows(reader, engine.ports.hashing)))
}

export async function allIdentities(rows: Rows): Promise<readonly IdentityInfo[]> {
  const [quotas, usage] = [new Map<string, IdentityQuota>(), new Map<string, OwnerUsageRow>()]
  for (const { key, row } of await rows.all<IdentityQuota>(identityQuotaTable.range))
    quotas.set(identityQuotaTable.id(key), row)
  for (const { key, row } of await rows.all<OwnerUsageRow>(ownerUsageTable.range))
    usage.set(ownerUsageTable.owner(key), row)
  for (const { key, row } of await rows.all<OwnerSharedRow>(ownerSharedTable.range)) {
    const owner = ownerSharedTable.owner(key)
    const { live, buckets } = usage.get(owner) ?? noOwnerUsage
    usage.set(owner, { live: live + row.bytes, buckets })
  }
  return (await rows.all<IdentityRow>(identityTable.range))
    .map(({ key, row }) => {
      const id = identityTable.id(key)
      return infoOf(id, row, { quota: quotas.get(id), usage: usage.get(id) })
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

export function infoNamed(engine: Engine, name: string): Promise<IdentityInfo> {
  return readRows(engine, async (rows) => {
    const id = (await rows.get(identityNameTable.key(name)))?.id
    const row = id === undefined ? undefined : await rows.get(identityTable.key(id))
    if (id === undefined || row === undefined) throw noSuchIdentity()
    const quota = await rows.get(identityQuotaTable.key(id))
    return infoOf(id, row, { quota, usage: await loadOwned(rows, id) })
  })
}

interface Owned {
  readonly quota: IdentityQuota | undefined
  readonly usage: OwnerUsageRow | undefined
}

const infoOf = (
  id: string,
  { name, displayName = name, email, policy, trust, keys, at, by }: IdentityRow,
  { quota, usage: { live, buckets } = noOwnerUsage }: Owned,
): IdentityInfo => ({
  id,
  name,
  displayName,
  ...(email !== undefined && { email }),
  ...(policy !== undefined && { policy }),
  ...(trust !== undefined && { trust }),
  accessKeys: keys.map((key) => ({ accessKeyId: key.accessKeyId, createdAt: new Date(key.at) })),
  ...(quota && { quota }),
  usage: { bytes: live, buckets },
  createdAt: new Date(at),
  createdBy: by,
})
