/** The users and roles that a server knows, besides those that its owner configures. */
import type { Soon } from '../base/soon.ts'
import { StorageError } from '../base/errors.ts'
import { noSuchIdentity } from '../decide/identities.ts'
import type { Engine } from '../engine/engine.ts'
import type { AccessKeyPair, KeySecrets } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { ReservedIdentity } from '../requests/reserved-identities.ts'
import { checked } from '../schema/schema.ts'
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
import type { OwnerUsageRow } from '../views/rows.ts'
import type { OwnerSharedRow } from '../views/shared-rows.ts'
import { noOwnerUsage } from '../views/usage.ts'
import { optionsOf } from './arguments/common.ts'
import type {
  CreatedIdentity,
  IdentityCredentials,
  IdentityInfo,
  IdentityOptions,
  IdentityPolicies,
} from './types/index.ts'
import {
  accessKeyId as accessKeyIdText,
  identityName,
  identityOptions,
  identityPolicies,
  identityQuota,
  newIdentityName,
  reservedIdentities,
} from './arguments/identity-options.ts'

/**
 * Creates, changes and removes identities. Each change is an event with its actor. Restores, undos, snapshots, forks and looks into the past
 * do not concern identities: what was revoked stays revoked.
 */
export interface Identities {
  /**
   * Creates a user with an access key, or with `trust` a role. The secret of the key is in the answer, and nowhere else.
   * @throws StorageError `EntityAlreadyExists`, `LimitExceeded`, `InvalidArgument`; `NotImplemented` for a user in a store
   *   without a place for secrets
   */
  create(name: string, options?: IdentityOptions): Promise<CreatedIdentity>
  /** All identities, in the order of their names. */
  list(): Promise<readonly IdentityInfo[]>
  /** @throws StorageError `NoSuchEntity` */
  get(name: string): Promise<IdentityInfo>
  /**
   * Gives a user a second access key. The first one stays valid until it is revoked.
   * @throws StorageError `NoSuchEntity`, `LimitExceeded`; `InvalidRequest` for a role
   */
  addKey(name: string): Promise<AccessKeyPair>
  /** Ends an access key for ever. @throws StorageError `NoSuchEntity` */
  revokeKey(name: string, accessKeyId: string): Promise<void>
  /**
   * Replaces the policy of an identity, or removes it if it is absent. A role keeps its trust policy if `trust` is absent.
   * @throws StorageError `NoSuchEntity`; `InvalidRequest` for `trust` of a user
   */
  setPolicies(name: string, policies: IdentityPolicies): Promise<IdentityInfo>
  /**
   * Limits what all buckets together have that an identity owns. Without a limit, removes its quota.
   * @throws StorageError `NoSuchEntity`
   */
  setQuota(name: string, quota: IdentityQuota): Promise<IdentityInfo>
  /** Removes an identity with its quota, and revokes its keys. Its buckets and objects stay. @throws StorageError `NoSuchEntity` */
  remove(name: string): Promise<void>
  /** For a server in this process: all identities, with the secrets of their keys. */
  credentials(): Promise<IdentityCredentials>
  /**
   * For a server in this process: no identity of the log gets a name, an id, an access key id or an e-mail address of these. Replaces
   * those of the call before. A reserved identity can be created with its own name, id and key, except root.
   */
  reserve(identities: readonly ReservedIdentity[]): void
}

export function storeIdentities(engine: Engine, context: StoreContext): Identities {
  const { requests } = engine
  return {
    create: async (name, options) => create(engine, context, checked('name', newIdentityName, name), options),
    list: () => readRows(engine, allIdentities),
    get: async (given) => infoNamed(engine, checked('name', identityName, given)),
    async addKey(given) {
      const name = checked('name', identityName, given)
      engine.assertWritable()
      return withNewKey(engine, undefined, ({ accessKeyId }) =>
        requests.submit('AddAccessKey', { name, accessKeyId }, context),
      )
    },
    async revokeKey(given, id) {
      const name = checked('name', identityName, given)
      const accessKeyId = checked('accessKeyId', accessKeyIdText, id)
      engine.assertWritable()
      await requests.submit('RevokeAccessKey', { name, accessKeyId }, context)
      await forget(engine, [accessKeyId])
    },
    async setPolicies(given, policies) {
      const name = checked('name', identityName, given)
      const data = checked('policies', identityPolicies, policies)
      engine.assertWritable()
      await checkPolicies(engine, data)
      await requests.submit('SetIdentityPolicy', { name, ...data }, context)
      return infoNamed(engine, name)
    },
    async setQuota(given, quota) {
      const name = checked('name', identityName, given)
      const data = checked('quota', identityQuota, quota)
      engine.assertWritable()
      await requests.submit('SetIdentityQuota', { name, ...data }, context)
      return infoNamed(engine, name)
    },
    async remove(given) {
      const name = checked('name', identityName, given)
      engine.assertWritable()
      const { accessKeys } = await infoNamed(engine, name)
      await requests.submit('RemoveIdentity', { name }, context)
      const ids = accessKeys.map(({ accessKeyId }) => accessKeyId)
      await forget(engine, ids)
    },
    credentials: () => readCredentials(engine),
    reserve(identities) {
      engine.requests.reservedIdentities.replace(checked('identities', reservedIdentities, identities))
    },
  }
}

async function create(engine: Engine, context: StoreContext, name: string, given: unknown): Promise<CreatedIdentity> {
  const { ids } = engine.ports
  const { id = ids.next() + ids.next(), key, ...facts } = optionsOf(identityOptions, given)
  engine.assertWritable()
  engine.assertOpen()
  await checkPolicies(engine, facts)
  const { email } = facts
  engine.requests.reservedIdentities.assertFree({ name, id, ...(email !== undefined && { email }) }, key)
  const submit = (more: { readonly accessKeyId?: string }) =>
    engine.requests.submit('CreateIdentity', { ...facts, id, name, ...more }, context)
  if (facts.trust !== undefined && key === undefined) {
    await submit({})
    return { identity: await infoNamed(engine, name) }
  }
  const pair = await withNewKey(engine, key, ({ accessKeyId }) => submit({ accessKeyId }))
  return { identity: await infoNamed(engine, name), key: pair }
}

async function checkPolicies({ ports }: Engine, { policy, trust }: IdentityPolicies): Promise<void> {
  if (policy !== undefined) await ports.policies?.check(policy, 'policy')
  if (trust !== undefined) await ports.policies?.check(trust, 'trust')
}

/** The secret is stored before the event, so that no key of the log lacks one. */
async function withNewKey(
  engine: Engine,
  given: AccessKeyPair | undefined,
  commit: (pair: AccessKeyPair) => Promise<unknown>,
): Promise<AccessKeyPair> {
  const secrets = secretsOf(engine)
  const pair = given ?? secrets.make()
  if (given === undefined) engine.requests.reservedIdentities.assertFree({}, pair)
  const isPlaced = given === undefined ? await secrets.put(pair) : await placeGiven(engine, secrets, given)
  if (!isPlaced) throw keyTaken()
  try {
    await commit(pair)
    return pair
  } catch (error) {
    // After an unknown outcome, the next opening settles what is stored. A given secret may be that of another call.
    const isRefused = given === undefined && engine.failure === undefined
    if (isRefused) await secrets.remove(pair.accessKeyId).catch(() => undefined)
    throw error
  }
}

/** Removes secrets that a crash has left. */
export async function settleSecrets(engine: Engine): Promise<void> {
  const { secrets } = engine.ports
  if (secrets === undefined) return
  const [active, revoked] = [new Set<string>(), new Set<string>()]
  await readRows(engine, async (rows) => {
    for (const { key, row } of await rows.all<AccessKeyRow>(accessKeyTable.range)) {
      ;(row.revoked === undefined ? active : revoked).add(accessKeyTable.accessKeyId(key))
    }
  })
  await secrets.settle(active, revoked)
}

async function readCredentials(engine: Engine): Promise<IdentityCredentials> {
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

/** What cannot be removed now is removed when the store is opened. The key is revoked already. */
async function forget({ ports: { secrets } }: Engine, accessKeyIds: readonly string[]): Promise<void> {
  for (const id of accessKeyIds) await secrets?.remove(id).catch(() => undefined)
}

/** False if another identity has or had the id. A secret that is stored for it is never replaced. */
async function placeGiven(engine: Engine, secrets: KeySecrets, pair: AccessKeyPair): Promise<boolean> {
  const known = await readRows(engine, (rows) => rows.get(accessKeyTable.key(pair.accessKeyId)))
  return known === undefined && secrets.put(pair)
}

function secretsOf({ ports: { secrets } }: Engine): KeySecrets {
  if (secrets !== undefined) return secrets
  throw new StorageError('NotImplemented', 'This store has no place for the secrets of access keys.')
}

const readRows = async <R>(engine: Engine, read: (rows: Rows) => Soon<R>): Promise<R> => {
  engine.assertOpen()
  return engine.withSnapshot((reader) => read(committedRows(reader, engine.ports.hashing)))
}

async function allIdentities(rows: Rows): Promise<readonly IdentityInfo[]> {
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

function infoNamed(engine: Engine, name: string): Promise<IdentityInfo> {
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

const keyTaken = (): StorageError =>
  new StorageError('EntityAlreadyExists', 'An identity has or had this access key id. It is never used again.', {
    details: { Field: 'accessKeyId' },
  })
