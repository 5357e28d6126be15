/** What a repair takes from replicas: events of a damaged log, and then the bytes that are damaged or missing. */
import { nodeHashing } from '@varve/adapters'
import { isStorageError, type MendedLog, mendLog, rememberedEnds, type Store } from '@varve/core'
import type { ReplicaPlace } from '../replicas/replica-address.ts'
import { openStoreForHealing } from '../store/open-directory.ts'
import type { RepairStoreOptions } from './directory-arguments.ts'
import type { OpenedReplicas } from '../replicas/open-replicas.ts'
import type { Inspection } from './verify-store.ts'

/** The log without its damage; `undefined` if no replica has what is damaged. */
export async function mendedLog(
  { directory, report, soundTo }: Inspection,
  { replicas }: OpenedReplicas,
  { tip, signal }: RepairStoreOptions,
): Promise<MendedLog | undefined> {
  const { journal, blobs, witness } = directory
  // The database itself knows that it lost its end, and nothing tells how far the log went.
  const isEndUnknown = report.divergences.some(({ kind, seq }) => kind === 'LogShort' && seq === undefined)
  if (journal === undefined || isEndUnknown) return undefined
  const hashing = await nodeHashing()
  const tips = await rememberedEnds({ journal, blobs, hashing, witness }, tip === undefined ? {} : { tip })
  const sources = replicas.map(({ name, reader }) => ({ name, journal: reader.journal }))
  try {
    return await mendLog({ journal, hashing, sources, soundTo, tips, ...(signal && { signal }) })
  } catch (error) {
    // An event of a newer release, or a log that cannot be read at all.
    if (isStorageError(error, 'UnsupportedFormat', 'LogCorrupt', 'JournalFailed')) return undefined
    throw error
  }
}

/** Reads all bytes of a store whose log is whole, and heals what is damaged. Resolves with a line for each blob or row. */
export async function healedBytes(
  dir: string,
  places: readonly ReplicaPlace[],
  { signal }: RepairStoreOptions,
): Promise<readonly string[]> {
  let store: Store
  try {
    store = await openStoreForHealing(dir, places, signal ? { signal } : {})
  } catch (error) {
    if (!isStorageError(error)) throw error
    return [`Could not take bytes from replicas, because the store does not open: ${error.message}`]
  }
  try {
    const { seq } = store
    await store.scrub({ from: { stage: 'bytes', after: '' }, ...(signal && { signal }) })
    const actions: string[] = []
    for await (const { type, data } of store.log({ from: seq + 1 })) {
      if (type === 'BytesHealed') actions.push(`Took ${named[data.what]} of blob ${data.blob} from ${data.from}.`)
    }
    return actions
  } finally {
    await store.close()
  }
}

const named = { blob: 'the bytes', inline: 'the short bytes', key: 'the data key' } as const
