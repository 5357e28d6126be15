/** A keyring of keys in this process. No field, error or log line contains a key. */
import { nodeCiphers } from '@varve/adapters'
import { isStorageError, type Keyring, type KeyRef, StorageError, unwrapSecret, wrapSecret } from '@varve/core'
import { type KeyMaterial, parseKeyMaterial } from './key-material.ts'

const idBytes = 8

/** @throws StorageError `InvalidArgument` for an invalid key */
export function createKeyring(material: Partial<KeyMaterial>): Keyring {
  const { master, keys } = checkedMaterial(material)
  const masters = master.map(bytesOf)
  const byId = new Map(masters.map((key) => [masterId(key), [key]]))
  const named = new Map(Object.entries(keys).map(([name, list]) => [name, list.map(bytesOf)]))
  const keysOf = (ref: KeyRef): readonly Uint8Array[] =>
    ('master' in ref ? byId.get(ref.master) : named.get(ref.named)) ?? []
  const [current] = byId.keys()
  return {
    master: current,
    has: (name) => named.has(name),
    async wrap(ref, secret, context) {
      const [key] = keysOf(ref)
      if (key === undefined) throw new StorageError('KeyUnavailable', 'The keyring has no such key.')
      return wrapSecret(nodeCiphers, key, secret, context)
    },
    async unwrap(ref, wrapped, context) {
      for (const key of keysOf(ref)) {
        const secret = unwrapSecret(nodeCiphers, key, wrapped, context)
        if (secret !== undefined) return secret
      }
      return undefined
    },
  }
}

/** Turns an error of a getter or a proxy into a refusal. */
function checkedMaterial(material: unknown): KeyMaterial {
  try {
    return parseKeyMaterial(material, 'The keyring')
  } catch (cause) {
    if (isStorageError(cause)) throw cause
    throw new StorageError('InvalidArgument', 'The keyring cannot be read.', { cause })
  }
}

/** The ids of the master keys, in order. */
export const masterIds = ({ master }: Pick<KeyMaterial, 'master'>): readonly string[] =>
  master.map((key) => masterId(bytesOf(key)))

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))

/** The id of a master key, computed with a one-way function: the log contains it, and it does not reveal the key. */
const masterId = (key: Uint8Array): string =>
  Buffer.from(nodeCiphers.derive(key, new Uint8Array(), 'varve master key id', idBytes)).toString('hex')
