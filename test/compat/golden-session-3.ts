/** The session behind the third golden file: sealed bytes, and keys. Never change it. */
import { nodeCiphers } from '@varve/adapters'
import {
  type Ciphers,
  type Keyring,
  openEngine,
  type Store,
  type StorePorts,
  unwrapSecret,
  wrapSecret,
} from '@varve/core'

const keyOf = (name: string) => nodeCiphers.derive(new TextEncoder().encode(name), new Uint8Array(), 'golden', 32)
const customerKey = keyOf('customer')

/** Chance that is the same each time, and a keyring whose keys are made of their names. */
function fixedKeys(): { readonly ciphers: Ciphers; readonly keyring: Keyring & { master: string } } {
  let draws = 0
  const random = (length: number) => nodeCiphers.derive(keyOf('chance'), new Uint8Array(), `draw ${++draws}`, length)
  const ciphers = { ...nodeCiphers, random }
  const named = (ref: { readonly master: string } | { readonly named: string }) =>
    keyOf('master' in ref ? ref.master : ref.named)
  const keyring = {
    master: 'master 1',
    has: () => true,
    wrap: async (ref: Parameters<Keyring['wrap']>[0], secret: Uint8Array, context: string) =>
      wrapSecret(ciphers, named(ref), secret, context),
    unwrap: async (ref: Parameters<Keyring['unwrap']>[0], wrapped: Uint8Array, context: string) =>
      unwrapSecret(ciphers, named(ref), wrapped, context),
  }
  return { ciphers, keyring }
}

export async function thirdGoldenSession(ports: StorePorts): Promise<Store> {
  const keys = fixedKeys()
  const store = await openEngine({ ...ports, ...keys }, { inlineMax: 16 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden', { versioning: 'Enabled' })
  await alice.objects.put('golden', 'own', 'inline', { encryption: { mode: 'AES256' } })
  await alice.objects.put('golden', 'named', 'rather large to be inline', {
    encryption: { mode: 'aws:kms', keyName: 'payroll', bucketKey: true },
  })
  await alice.objects.put('golden', 'twice', 'inline', { encryption: { mode: 'aws:kms:dsse', keyName: 'payroll' } })
  const encryption = { mode: 'SSE-C', key: customerKey } as const
  const upload = await alice.uploads.create('golden', 'assembled', { encryption })
  const part = await alice.uploads.uploadPart(upload, 1, 'part', { customerKey })
  await alice.uploads.complete(upload, [part])
  keys.keyring.master = 'master 2'
  await alice.keys.rotate()
  await alice.objects.copy({ bucket: 'golden', key: 'own' }, 'golden', 'own', { encryption: { mode: 'AES256' } })
  return store
}
