/**
 * Accepts a log that does not have what the witness beside its blobs knows, as a database that was restored from an older
 * copy. The blobs that only lost events name go to quarantine, so a sweep of orphans cannot delete them. The log begins an
 * epoch, so that no id of a lost version is given out again.
 */
import { nodeHashing } from '@varve/adapters'
import {
  beginEpoch,
  isStorageError,
  openForMaintenance,
  StorageError,
  sweepOrphans,
  type Tip,
  tipAt,
  type Witness,
} from '@varve/core'
import { machinePorts } from '../store/ports-of.ts'
import { openPartsAt, type PartsThere, type StoreAddresses } from './open-at-addresses.ts'

export interface Loss {
  /** The last event of the log. */
  readonly head: number
  /** The last event that the witness knows; `null` if there is no witness, or if it is damaged. */
  readonly witness: number | null
  /** Whether the log lacks events that the witness knows, or whether the witness is damaged. */
  readonly isLost: boolean
  /** Blobs that no event of the log names. */
  readonly blobs: number
}

const actor = { id: 'varve', name: 'accept-loss' }

type Addresses = Pick<StoreAddresses, 'journal' | 'blobs'>

/** Shows what `acceptLoss` would do, and changes nothing. */
export const findLoss = (addresses: Addresses): Promise<Loss> =>
  withParts(addresses, async (parts) => {
    const found = await compare(parts)
    return { ...found, blobs: found.isLost ? await orphansOf(parts, async () => undefined) : 0 }
  })

/**
 * Moves the blobs to quarantine, begins an epoch, and then writes the end of the log to the witness: an interrupted call is
 * repeated as a whole. No store may be open at the addresses.
 */
export const acceptLoss = (addresses: Addresses): Promise<Loss> =>
  withParts(addresses, async (parts) => {
    const found = await compare(parts)
    if (!found.isLost) return { ...found, blobs: 0 }
    const blobs = await orphansOf(parts, (ids) => parts.setAside(ids))
    await parts.witness.replace(await epochBegun(parts))
    return { ...found, blobs }
  })

async function withParts<R>(addresses: Addresses, use: (parts: PartsThere) => Promise<R>): Promise<R> {
  const parts = await openPartsAt(addresses)
  try {
    return await use(parts)
  } finally {
    await parts.close()
  }
}

/** Passes the orphans to `take`, which decides what becomes of them. Resolves with their number. */
async function orphansOf(
  { journal, blobs }: PartsThere,
  take: (ids: readonly string[]) => Promise<void>,
): Promise<number> {
  const machine = await machinePorts({ hashingThreads: 0 })
  return sweepOrphans({ journal, blobs: { ...blobs, delete: take }, ...machine })
}

/** Begins an epoch at the end of the log. Resolves with the new end. */
async function epochBegun({ journal, blobs }: PartsThere): Promise<Tip> {
  const ports = { journal, blobs, ...(await machinePorts({ hashingThreads: 0 })) }
  const store = await openForMaintenance(ports)
  try {
    const from = await tipAt(ports, await journal.head())
    const { seq } = await beginEpoch(store.owner, ports.ids, { from, reason: 'restored', by: actor })
    return await tipAt(ports, seq)
  } finally {
    await store.close()
  }
}

async function compare({ journal, witness }: PartsThere): Promise<Omit<Loss, 'blobs'>> {
  const tip = await tipOf(witness)
  const head = await journal.head()
  if (head === 0) {
    const hint = 'Restore a copy of the database, or use another place for the blobs.'
    throw new StorageError('StoreNotFound', 'The log is empty.', { details: { kind: 'empty' }, hint })
  }
  if (tip === 'damaged') return { head, witness: null, isLost: true }
  if (tip === undefined) return { head, witness: null, isLost: false }
  if (tip.seq > head) return { head, witness: tip.seq, isLost: true }
  const { hash } = await tipAt({ journal, hashing: await nodeHashing() }, tip.seq)
  return { head, witness: tip.seq, isLost: hash !== tip.hash }
}

async function tipOf(witness: Witness): Promise<Tip | 'damaged' | undefined> {
  try {
    return await witness.read()
  } catch (error) {
    if (isStorageError(error, 'LogCorrupt')) return 'damaged'
    throw error
  }
}
