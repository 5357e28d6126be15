/** Opens a store whose journal and blobs are at addresses, and closes them with it. */
import { closeAll } from '@varve/adapters'
import type { Store } from '@varve/core'
import { orphansEveryMs } from '../jobs/orphan-schedule.ts'
import { openOnParts } from '../store/open-on-parts.ts'
import { type PartsStoreOptions, partsStoreOptions } from '../store/store-options.ts'
import { blobsAt, type BlobsThere } from './blobs-address.ts'
import { derivedKeySecrets } from './derived-key-secrets.ts'
import { journalAt, type JournalOpening, type JournalThere } from './journal-address.ts'
import type { NodeStatus } from './node-status.ts'
import { type RememberedTip, remembering } from './remembered-tip.ts'

export interface StoreAddresses {
  readonly journal: string
  readonly blobs: string
  /** Base64 of the keys that the secrets of access keys are derived from. Without any, identities can have none. */
  readonly masterKeys?: readonly string[]
  /** Keeps what is known of the log from one opening to the next. */
  readonly remembered?: RememberedTip
  /** Asks the parts of the newest opening. */
  readonly status?: NodeStatus
  /** This process has checked the log up to what is remembered. @default false */
  readonly isSealed?: boolean
}

/**
 * @throws what `openStore` throws for parts, and what opening the parts throws; `AcknowledgedWritesLost` or `LogCorrupt` if
 * the log is not the one that the witness beside the blobs knows
 */
export async function openAtAddresses(addresses: StoreAddresses, options: PartsStoreOptions): Promise<Store> {
  const given = partsStoreOptions(options)
  const { masterKeys = [], remembered = { tip: undefined }, isSealed = false } = addresses
  const there = await openPartsAt(addresses)
  const { journal, blobs, witness, close } = there
  addresses.status?.use(there)
  try {
    const secrets = masterKeys.length === 0 ? {} : { secrets: derivedKeySecrets(masterKeys) }
    const parts = { journal, blobs, witness: remembering(witness, remembered), ...secrets }
    return await openOnParts(parts, given, { closeParts: close, orphansEveryMs, isSealed })
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

export interface PartsThere extends BlobsThere {
  readonly journal: JournalThere
  /** Closes journal and blobs. */
  close(): Promise<void>
}

/** @throws what opening the parts throws */
export async function openPartsAt(
  addresses: Pick<StoreAddresses, 'journal' | 'blobs'>,
  opening: JournalOpening = {},
): Promise<PartsThere> {
  const openJournal = journalAt(addresses.journal, opening)
  const openBlobs = blobsAt(addresses.blobs)
  const journal = await openJournal()
  try {
    const there = await openBlobs()
    return { ...there, journal, close: () => closeAll([() => there.blobs.close(), () => journal.close()]) }
  } catch (error) {
    await journal.close().catch(() => undefined)
    throw error
  }
}
