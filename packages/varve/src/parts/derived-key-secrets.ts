/**
 * The secrets of access keys of servers that share a store: derived from the master key that all of them have, so nothing is stored and no
 * copy of the log, of its database or of a disk reveals one. An access key id begins with a mark of its master key, so older
 * master keys go on to count beside a new one.
 */
import { createHash } from 'node:crypto'
import { nodeCiphers } from '@varve/adapters'
import { type KeySecrets, StorageError } from '@varve/core'
import { newKeyPair, tokenKeyOf } from '../files/key-secrets.ts'

/** AWS's own ids begin so. */
const beginning = 'AKIA'
const markLength = 4
/** 40 characters. */
const secretBytes = 30

/** The characters of ids, A to Z and 2 to 7. */
function markOf(master: Uint8Array): string {
  const digest = createHash('sha256').update('varve master key mark 1').update(master).digest()
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return Array.from({ length: markLength }, (_, i) => alphabet[(digest[i] as number) % alphabet.length]).join('')
}

/** @param masterKeys base64 of 32 bytes each. The first one makes new secrets. At least one. */
export function derivedKeySecrets(masterKeys: readonly string[]): KeySecrets {
  const masters = masterKeys.map((text) => new Uint8Array(Buffer.from(text, 'base64')))
  const [first] = masters
  if (first === undefined) throw new TypeError('There must be a master key.')
  const byMark = new Map(masters.toReversed().map((master) => [markOf(master), master]))

  function secretOf(accessKeyId: string): string | undefined {
    if (!accessKeyId.startsWith(beginning)) return undefined
    const master = byMark.get(accessKeyId.slice(beginning.length, beginning.length + markLength))
    if (master === undefined) return undefined
    const bytes = nodeCiphers.derive(master, new Uint8Array(), `varve access key 1 ${accessKeyId}`, secretBytes)
    return Buffer.from(bytes).toString('base64url')
  }

  return {
    tokenKey: async () => tokenKeyOf(first),
    make() {
      const random = newKeyPair().accessKeyId.slice(beginning.length + markLength)
      const accessKeyId = `${beginning}${markOf(first)}${random}`
      return { accessKeyId, secretAccessKey: secretOf(accessKeyId) as string }
    },
    async put({ accessKeyId, secretAccessKey }) {
      if (secretOf(accessKeyId) === secretAccessKey) return true
      const message = 'Servers that share a store derive the secrets of access keys, and cannot store given ones.'
      throw new StorageError('NotImplemented', message)
    },
    get: async (accessKeyId) => secretOf(accessKeyId),
    // A key that is revoked or unknown is refused by the log, whatever its secret is.
    remove: async () => undefined,
    settle: async () => undefined,
  }
}
