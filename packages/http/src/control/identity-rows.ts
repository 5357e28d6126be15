/** Identities, their policies and their access keys. */
import {
  type AccessKeyInfo,
  type AccessKeyPair,
  callArguments,
  type CreatedIdentity,
  type IdentityInfo,
  type IdentityOptions,
  type IdentityPolicies,
  type IdentityQuota,
  type IdentityUsage,
  schema,
} from '@varve/core'
import { ofList } from './answer-holding.ts'
import { actor, done, isoDate } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { jsonBody, nothing, query } from './input.ts'

const { array, integer, object, objectWith, optional, text } = schema
const { accessKeyId, identityFields, identityName, identityQuota, identityQuotaFields, policyFields } = callArguments

const longText = text({ max: 1024 * 1024 })

const identityInfo = objectWith<IdentityInfo>({
  id: text(),
  name: text(),
  displayName: text(),
  email: optional(text()),
  policy: optional(longText),
  trust: optional(longText),
  accessKeys: array(objectWith<AccessKeyInfo>({ accessKeyId: text(), createdAt: isoDate })),
  quota: optional(identityQuota),
  usage: objectWith<IdentityUsage>({ bytes: integer({ min: 0 }), buckets: integer({ min: 0 }) }),
  createdAt: isoDate,
  createdBy: actor,
})

const keyPair = objectWith<AccessKeyPair>({ accessKeyId: text(), secretAccessKey: text() })

/** An identity by its name. */
export interface OneIdentity {
  readonly name: string
}

const oneIdentity = object<OneIdentity>({ name: identityName })

/** A new identity. */
export type NewIdentity = OneIdentity & IdentityOptions

export const createIdentity = valueRow<NewIdentity, CreatedIdentity>({
  name: 'CreateIdentity',
  summary: 'Creates a user with an access key, or a role; the secret is in this answer alone',
  method: 'POST',
  path: '/-/v1/identities',
  action: 'varve:CreateIdentity',
  input: jsonBody(object<NewIdentity>({ name: identityName, ...identityFields })),
  output: objectWith<CreatedIdentity>({ identity: identityInfo, key: optional(keyPair) }),
  run: ({ store, input: { name, ...options } }) => store.identities.create(name, options),
})

export const listIdentities = linesRow<object, IdentityInfo>({
  name: 'ListIdentities',
  summary: 'The users and roles that were created at run time',
  method: 'GET',
  path: '/-/v1/identities',
  action: 'varve:ListIdentities',
  input: nothing,
  output: identityInfo,
  async *run({ store, holding }) {
    yield* ofList(holding, await store.identities.list())
  },
})

export const getIdentity = valueRow<OneIdentity, IdentityInfo>({
  name: 'GetIdentity',
  summary: 'The facts, policies and access key ids of an identity',
  method: 'GET',
  path: '/-/v1/identity',
  action: 'varve:ListIdentities',
  input: query(oneIdentity),
  output: identityInfo,
  run: ({ store, input }) => store.identities.get(input.name),
})

export const removeIdentity = valueRow<OneIdentity, object>({
  name: 'RemoveIdentity',
  summary: 'Removes an identity and revokes its access keys for good',
  method: 'DELETE',
  path: '/-/v1/identity',
  action: 'varve:RemoveIdentity',
  input: query(oneIdentity),
  output: done,
  async run({ store, input }) {
    await store.identities.remove(input.name)
    return {}
  },
})

/** The policies of an identity. */
export type NewPolicies = OneIdentity & IdentityPolicies

export const setIdentityPolicies = valueRow<NewPolicies, IdentityInfo>({
  name: 'SetIdentityPolicies',
  summary: 'Replaces the policy of an identity, or removes it',
  method: 'PUT',
  path: '/-/v1/identity/policies',
  action: 'varve:SetIdentityPolicies',
  input: jsonBody(object<NewPolicies>({ name: identityName, ...policyFields })),
  output: identityInfo,
  run: ({ store, input: { name, ...given } }) => store.identities.setPolicies(name, given),
})

/** The quota of an identity. */
export type NewIdentityQuota = OneIdentity & IdentityQuota

/** For root alone: with the right to set quotas, an identity could lift its own. */
export const setIdentityQuota = valueRow<NewIdentityQuota, IdentityInfo>({
  name: 'SetIdentityQuota',
  summary: 'Limits the bytes and the number of all buckets together that an identity owns, or limits them no more',
  method: 'PUT',
  path: '/-/v1/identity/quota',
  input: jsonBody(object<NewIdentityQuota>({ name: identityName, ...identityQuotaFields })),
  output: identityInfo,
  run: ({ store, input: { name, ...quota } }) => store.identities.setQuota(name, quota),
})

export const addAccessKey = valueRow<OneIdentity, AccessKeyPair>({
  name: 'AddAccessKey',
  summary: 'Gives a user a second access key; the secret is in this answer alone',
  method: 'POST',
  path: '/-/v1/identity/keys',
  action: 'varve:AddAccessKey',
  input: jsonBody(oneIdentity),
  output: keyPair,
  run: ({ store, input }) => store.identities.addKey(input.name),
})

/** An access key of an identity. */
export interface OneAccessKey extends OneIdentity {
  readonly accessKeyId: string
}

export const revokeAccessKey = valueRow<OneAccessKey, object>({
  name: 'RevokeAccessKey',
  summary: 'Ends an access key for good',
  method: 'DELETE',
  path: '/-/v1/identity/key',
  action: 'varve:RevokeAccessKey',
  input: query(object<OneAccessKey>({ name: identityName, accessKeyId })),
  output: done,
  async run({ store, input }) {
    await store.identities.revokeKey(input.name, input.accessKeyId)
    return {}
  },
})
