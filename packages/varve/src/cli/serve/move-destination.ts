/** Where a server moves its store to: the addresses of a journal and of blobs. */
import { endPassage, isStorageError, type LogMoved, StorageError, type Store } from '@varve/core'
import { createKeyring } from '../../keyring/create-keyring.ts'
import { addressPair, type AddressPair, addressPlace } from '../../moving/address-place.ts'
import { openAtAddresses, openPartsAt } from '../../parts/open-at-addresses.ts'
import type { PartsStoreOptions } from '../../store/store-options.ts'
import type { Opening } from './recovering-store.ts'
import type { Destination } from './served-move.ts'
import type { ServingKeys } from './serving-keys.ts'

interface Leaver {
  readonly store: Store
  readonly keys: ServingKeys
  /** The options of the store where it goes. */
  readonly options: PartsStoreOptions
}

/** @throws StorageError `InvalidArgument` for no addresses, `InvalidRequest` for a store with access keys of its own */
export async function moveDestination(to: string, { store, keys, options }: Leaver): Promise<Destination> {
  const pair = addressPair(to)
  if (pair === undefined)
    throw new StorageError('InvalidArgument', 'A store is moved to the two addresses postgres://...+s3://....', {
      details: { ArgumentName: 'to' },
    })
  const place = addressPlace(pair)
  await assertWithoutKeys(store)
  const { keyring, master } = await keysOf(store, keys)
  return {
    place,
    openingAfter: (moved) => openingAt(pair, { moved, master, options: { ...options, keyring } }),
  }
}

/** Their secrets are in the directory: at addresses they are derived from the master key. */
async function assertWithoutKeys(store: Store): Promise<void> {
  const names = (await store.identities.list())
    .filter(({ accessKeys }) => accessKeys.length > 0)
    .map(({ name }) => name)
  if (names.length === 0) return
  const shown = names.slice(0, 5).join(', ')
  throw new StorageError(
    'InvalidRequest',
    `Access keys that were made at run time do not come along, and these identities have some: ${shown}.`,
    { details: { kind: 'access-keys', identities: shown }, hint: 'Revoke them first with `varve identities revoke`.' },
  )
}

/** Those of the directory, unless the server was given others. */
async function keysOf({ dir }: Store, keys: ServingKeys) {
  if (keys.keyring !== 'own') return { keyring: keys.keyring, master: keys.masterKeys }
  const material = await keys.material(dir ?? '')
  return { keyring: createKeyring(material), master: material.master }
}

interface Moved {
  readonly moved: LogMoved
  readonly master: readonly string[]
  readonly options: PartsStoreOptions
}

function openingAt(pair: AddressPair, { moved: { head, hashes }, master, options }: Moved): Opening<Store> {
  const remembered = { tip: { seq: head, hash: hashes.into } }
  let isSealed = true
  return {
    beside: true,
    async open() {
      const open = () => openAtAddresses({ ...pair, masterKeys: master, remembered, isSealed }, options)
      const store = await open().catch(async (error: unknown) => {
        if (!isStorageError(error, 'StoreNotFound') || error.details['kind'] !== 'arriving') throw error
        await endArrival(pair, head)
        return open()
      })
      isSealed = false
      return store
    },
  }
}

/** This process copied everything, and the directory was left: the end of the move was lost on its way. */
async function endArrival(pair: AddressPair, head: number): Promise<void> {
  const { journal, close } = await openPartsAt(pair, { create: false })
  try {
    if ((await journal.head()) === head) await endPassage({ journal })
  } finally {
    await close()
  }
}
