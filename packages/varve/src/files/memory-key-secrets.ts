import type { KeySecrets } from '@varve/core'
import { newKeyPair, tokenKeyOf } from './key-secrets.ts'

/** The secrets of access keys of a store in memory. */
export function memoryKeySecrets(secrets: Map<string, string>, secret: Uint8Array): KeySecrets {
  return {
    tokenKey: async () => tokenKeyOf(secret),
    make: newKeyPair,
    async put({ accessKeyId, secretAccessKey }) {
      const before = secrets.get(accessKeyId)
      if (before === undefined) secrets.set(accessKeyId, secretAccessKey)
      return before === undefined || before === secretAccessKey
    },
    get: async (accessKeyId) => secrets.get(accessKeyId),
    remove: async (accessKeyId) => void secrets.delete(accessKeyId),
    async settle(active) {
      for (const id of secrets.keys()) if (!active.has(id)) secrets.delete(id)
    },
  }
}
