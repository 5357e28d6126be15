/** The rules about identities. Ids and access key ids are unique for ever, names among the identities that exist. */
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { Event } from '../events/index.ts'
import {
  accessKeyTable,
  identityCountKey,
  identityNameTable,
  identityQuotaTable,
  type IdentityRow,
  identityTable,
  retiredIdentityTable,
} from '../views/identity-tables.ts'
import type { IdentityQuota } from '../settings/quota.ts'
import { areNamesakes } from '../naming/namesakes.ts'
import type { Rows } from '../views/row-reader.ts'
import type { RowTransaction } from '../views/row-transaction.ts'
import type { Rule } from './rule.ts'

interface NewIdentity {
  readonly takenField: 'name' | 'id' | 'accessKeyId' | undefined
  readonly count: number
}

/** @throws `EntityAlreadyExists`, `LimitExceeded`; `InvalidRequest` for a role with an access key */
export const createIdentity: Rule<'CreateIdentity', NewIdentity> = {
  async load(rows, { id, name, accessKeyId }) {
    const isTaken = {
      name: (await rows.get(identityNameTable.key(name))) !== undefined || (await hasNamesake(rows, name)),
      id:
        (await rows.get(identityTable.key(id))) !== undefined ||
        (await rows.get(retiredIdentityTable.key(id))) !== undefined,
      accessKeyId: accessKeyId !== undefined && (await isKnownKey(rows, accessKeyId)),
    }
    return {
      takenField: (['name', 'id', 'accessKeyId'] as const).find((field) => isTaken[field]),
      count: (await rows.get(identityCountKey))?.count ?? 0,
    }
  },

  decide({ takenField, count }, { accessKeyId, ...data }) {
    if (takenField !== undefined) throw exists(takenField)
    if (count >= limits.identitiesMax) {
      throw new StorageError('LimitExceeded', `A store can have ${limits.identitiesMax} identities.`)
    }
    const created: Event = { type: 'IdentityCreated', data }
    if (accessKeyId === undefined) return [created]
    if (data.trust !== undefined) throw roleHasNoKeys()
    return [created, { type: 'AccessKeyAdded', data: { identity: data.id, accessKeyId } }]
  },
}

/** A policy that allows something to `bob` would allow it to a new `ci/bob` too. */
async function hasNamesake(rows: Rows, name: string): Promise<boolean> {
  const all = await rows.all<IdentityRow>(identityTable.range)
  return all.some(({ row }) => areNamesakes(row.name, name))
}

interface Found {
  readonly id: string
  readonly row: IdentityRow
}

/** The same policies again are no event. @throws `NoSuchEntity`; `InvalidRequest` for the trust policy of a user */
export const setIdentityPolicy: Rule<'SetIdentityPolicy', Found> = {
  load: (rows, { name }) => identityNamed(rows, name),

  decide({ id, row }, { policy, trust = row.trust }) {
    if (trust !== undefined && row.trust === undefined) {
      throw new StorageError('InvalidRequest', 'Only a role has a trust policy, and it has one from the beginning.')
    }
    if (policy === row.policy && trust === row.trust) return []
    const data = { id, ...(policy !== undefined && { policy }), ...(trust !== undefined && { trust }) }
    return [{ type: 'IdentityPolicySet', data }]
  },
}

/** The same quota again is no event. @throws `NoSuchEntity` */
export const setIdentityQuota: Rule<'SetIdentityQuota', Found & { readonly before: IdentityQuota }> = {
  async load(rows, { name }) {
    const found = await identityNamed(rows, name)
    return { ...found, before: (await rows.get(identityQuotaTable.key(found.id))) ?? {} }
  },

  decide({ id, before }, { name: _name, ...quota }) {
    if (quota.bytes === before.bytes && quota.buckets === before.buckets) return []
    return [{ type: 'IdentityQuotaSet', data: { id, ...quota } }]
  },
}

/** @throws `NoSuchEntity`, `EntityAlreadyExists`, `LimitExceeded`; `InvalidRequest` for a role */
export const addAccessKey: Rule<'AddAccessKey', Found & { readonly isKnown: boolean }> = {
  async load(rows, { name, accessKeyId }) {
    return { ...(await identityNamed(rows, name)), isKnown: await isKnownKey(rows, accessKeyId) }
  },

  decide({ id, row, isKnown }, { accessKeyId }) {
    if (row.trust !== undefined) throw roleHasNoKeys()
    if (isKnown) throw exists('accessKeyId')
    if (row.keys.length >= limits.accessKeysMax) {
      throw new StorageError('LimitExceeded', `An identity can have ${limits.accessKeysMax} access keys.`, {
        hint: 'Revoke the older one with `varve identities revoke`.',
      })
    }
    return [{ type: 'AccessKeyAdded', data: { identity: id, accessKeyId } }]
  },
}

/** @throws `NoSuchEntity` */
export const revokeAccessKey: Rule<'RevokeAccessKey', Found> = {
  load: (rows, { name }) => identityNamed(rows, name),

  decide({ id, row }, { accessKeyId }) {
    if (!row.keys.some((key) => key.accessKeyId === accessKeyId)) {
      throw new StorageError('NoSuchEntity', 'The identity has no such access key.', {
        details: { Field: 'accessKeyId' },
      })
    }
    return [{ type: 'AccessKeyRevoked', data: { identity: id, accessKeyId } }]
  },
}

/** @throws `NoSuchEntity` */
export const removeIdentity: Rule<'RemoveIdentity', Found> = {
  load: (rows, { name }) => identityNamed(rows, name),
  decide: ({ id }) => [{ type: 'IdentityRemoved', data: { id } }],
}

async function identityNamed(rows: RowTransaction, name: string): Promise<Found> {
  const id = (await rows.get(identityNameTable.key(name)))?.id
  const row = id === undefined ? undefined : await rows.get(identityTable.key(id))
  if (id === undefined || row === undefined) throw noSuchIdentity()
  return { id, row }
}

const isKnownKey = async (rows: RowTransaction, accessKeyId: string): Promise<boolean> =>
  (await rows.get(accessKeyTable.key(accessKeyId))) !== undefined

export const noSuchIdentity = (): StorageError =>
  new StorageError('NoSuchEntity', 'There is no identity of this name.', { details: { Field: 'name' } })

const exists = (field: 'name' | 'id' | 'accessKeyId'): StorageError =>
  new StorageError('EntityAlreadyExists', messages[field], { details: { Field: field } })

const messages = {
  name: 'There is an identity of this name already.',
  id: 'An identity has or had this id. An id is never used again.',
  accessKeyId: 'An identity has or had this access key id. It is never used again.',
} as const

const roleHasNoKeys = (): StorageError =>
  new StorageError('InvalidRequest', 'A role has no access keys: users assume it with their own.')
