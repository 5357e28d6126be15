/** The identities of the store that another process has open. */
import { callArguments, type Identities, optionsOf, schema } from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { collected } from './attached-scope.ts'

const { checked } = schema
const { accessKeyId, identityName, identityOptions, identityPolicies, identityQuota } = callArguments

/** Only the process that has the store open has the secrets of keys, and the configured identities. */
export type AttachedIdentities = Omit<Identities, 'credentials' | 'reserve'>

const nameOf = (given: unknown): string => checked('name', identityName, given)

export const attachedIdentities = (client: ControlClient): AttachedIdentities => ({
  async create(given, options) {
    const name = nameOf(given)
    return client.value(controlApi.createIdentity, { ...optionsOf(identityOptions, options), name })
  },
  list: () => collected(client.lines(controlApi.listIdentities, {})),
  get: async (given) => client.value(controlApi.getIdentity, { name: nameOf(given) }),
  addKey: async (given) => client.value(controlApi.addAccessKey, { name: nameOf(given) }),
  async revokeKey(given, id) {
    const named = { name: nameOf(given), accessKeyId: checked('accessKeyId', accessKeyId, id) }
    await client.value(controlApi.revokeAccessKey, named)
  },
  async setPolicies(given, policies) {
    const name = nameOf(given)
    return client.value(controlApi.setIdentityPolicies, { ...checked('policies', identityPolicies, policies), name })
  },
  async setQuota(given, quota) {
    const name = nameOf(given)
    return client.value(controlApi.setIdentityQuota, { ...checked('quota', identityQuota, quota), name })
  },
  remove: async (given) => void (await client.value(controlApi.removeIdentity, { name: nameOf(given) })),
})
