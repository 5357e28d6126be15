/** The users and roles that a server knows, besides those that its owner configures. */
import { StorageError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { AccessKeyPair, KeySecrets } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { ReservedIdentity } from '../requests/reserved-identities.ts'
import { checked } from '../schema/schema.ts'
import type { IdentityQuota } from '../settings/quota.ts'
import { type AccessKeyRow, accessKeyTable } from '../views/identity-tables.ts'
import { optionsOf } from './arguments/common.ts'
import { allIdentities, infoNamed, readCredentials, readRows } from './read-identities.ts'
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
 * Creates, changes and removes identities. Each change is an event with its actor, and resolves when the servers of this process that
 * follow the store, and their workers, use it. If one of them cannot, it rejects with `InternalError`, although it is committed. Restores,
 * undos, snapshots, forks and looks into the past do not concern identities: what was revoked stays revoked.
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
  const reads = readingOf(engine)
  const changes = changesOf(engine, context)
  /** No change is answered before the servers of this process decide by it. */
  const inForce =
    <A extends readonly unknown[], R>(change: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const result = await change(...given)
      await engine.identityFollowers.current()
      return result
    }
  return {
    ...reads,
    create: inForce(changes.create),
    addKey: inForce(changes.addKey),
    revokeKey: inForce(changes.revokeKey),
    setPolicies: inForce(changes.setPolicies),
    setQuota: inForce(changes.setQuota),
    remove: inForce(changes.remove),
  }
}

type Reading = 'list' | 'get' | 'credentials' | 'reserve'

const readingOf = (engine: Engine): Pick<Identities, Reading> => ({
  list: () => readRows(engine, allIdentities),
  get: async (given) => infoNamed(engine, checked('name', identityName, given)),
  credentials: () => readCredentials(engine),
  reserve(identities) {
    engine.requests.reservedIdentities.replace(checked('identities', reservedIdentities, identities))
  },
})

function changesOf(engine: Engine, context: StoreContext): Omit<Identities, Reading> {
  const { requests } = engine
  return {
    create: async (name, options) => create(engine, context, checked('name', newIdentityName, name), options),
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

const keyTaken = (): StorageError =>
  new StorageError('EntityAlreadyExists', 'An identity has or had this access key id. It is never used again.', {
    details: { Field: 'accessKeyId' },
  })
