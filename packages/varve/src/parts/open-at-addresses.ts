/** Opens a store whose journal and blobs are at addresses, and closes them with it. */
import type { Store } from '@varve/core'
import { orphansEveryMs } from '../jobs/orphan-schedule.ts'
import { openOnParts } from '../store/open-on-parts.ts'
import { type PartsStoreOptions, partsStoreOptions } from '../store/store-options.ts'
import { blobsAt } from './blobs-address.ts'
import { derivedKeySecrets } from './derived-key-secrets.ts'
import { journalAt } from './journal-address.ts'

export interface StoreAddresses {
  readonly journal: string
  readonly blobs: string
  /** Base64 of the keys that the secrets of access keys are derived from. Without any, identities can have none. */
  readonly masterKeys?: readonly string[]
}

/** @throws what `openStore` throws for parts, and what opening the parts throws */
export async function openAtAddresses(addresses: StoreAddresses, options: PartsStoreOptions): Promise<Store> {
  const given = partsStoreOptions(options)
  const { masterKeys = [] } = addresses
  const openJournal = journalAt(addresses.journal)
  const openBlobs = blobsAt(addresses.blobs)
  const closing: (() => Promise<void>)[] = []
  const closeParts = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close()
  }
  try {
    const journal = await openJournal()
    closing.push(() => journal.close())
    const blobs = await openBlobs()
    closing.push(() => blobs.close())
    const secrets = masterKeys.length === 0 ? {} : { secrets: derivedKeySecrets(masterKeys) }
    return await openOnParts({ journal, blobs, ...secrets }, given, { closeParts, orphansEveryMs })
  } catch (error) {
    await closeParts().catch(() => undefined)
    throw error
  }
}
