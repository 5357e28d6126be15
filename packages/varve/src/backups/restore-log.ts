/** Makes a store of a log that is elsewhere: in a replica, or in the directory of a store. */
import { nodeHashing, randomIds } from '@varve/adapters'
import { journalSource, type LogSource, openedParts, restoreReplica, StorageError, unseenBlobs } from '@varve/core'
import { directoryPlace } from '../moving/directory-place.ts'
import { type FillingNote, readFillingNote, writeFillingNote } from '../replicas/filling-note.ts'
import { openStoreReadOnly } from '../store/open-directory.ts'
import type { UsedReplica } from './used-replicas.ts'
import type { RestoreStoreOptions } from './replica-arguments.ts'

/** What `restoreStore` did. */
export interface RestoreReport {
  /** The replica that reaches furthest, or the directory. */
  readonly from: string
  readonly dir: string
  /** The position of the last event of the store, which begins its epoch. */
  readonly head: number
  /** How many were copied by this call. */
  readonly events: number
  readonly blobs: number
  readonly bytes: number
  /** How many contents the source does not have, because they were erased, also before a replica had copied them. */
  readonly absent: number
  /**
   * How many contents the source does not have though no event says that they were erased. They are lost: reads of them end with
   * `BlobMissing`, and `verify` finds them.
   */
  readonly lost: number
  /** Whether the blobs are still in the replicas: the store brings them while it is open. */
  readonly filling: boolean
  /** The replicas that were given, the one that reaches furthest first. Empty for the directory of a store. */
  readonly replicas: readonly UsedReplica[]
}

interface Source {
  /** Without secrets. */
  readonly name: string
  readonly reader: LogSource
  /** The last event to restore. */
  readonly to: number
  /** Whether `to` is the end of the source as it is now. */
  readonly toEnd: boolean
  /** The directory of the store that it is. */
  readonly linkBlobsFrom?: string
  /** Where the blobs stay. Absent: they are copied. */
  readonly note?: FillingNote
}

export async function restoreLog(
  { name, reader, to, toEnd, linkBlobsFrom, note }: Source,
  dir: string,
  { layout, signal, onProgress }: RestoreStoreOptions,
): Promise<RestoreReport> {
  const into = await directoryPlace(dir, { layout, ...(linkBlobsFrom && { linkBlobsFrom }) }).openTarget()
  try {
    if (note === undefined && (await readFillingNote(dir)) !== undefined) throw begunInstant(dir)
    const [hashing, now] = [await nodeHashing(), Date.now()]
    const following = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
    const what = { name, reader, into, hashing, ids: randomIds, to, toEnd, now }
    const leaving = note && {
      leavesBlobs: true,
      believesViews: true,
      onBegun: (last: number) => writeFillingNote(dir, { ...note, to: last }),
    }
    const { head, events, blobs, bytes, lost, ...missing } = await restoreReplica({ ...what, ...following, ...leaving })
    // What an interrupted call has not found is lost too, and not among what this one has not found.
    const absent = Math.max(0, missing.absent - lost)
    return { from: name, dir, head, events, blobs, bytes, absent, lost, filling: note !== undefined, replicas: [] }
  } finally {
    await into.close()
  }
}

const begunInstant = (dir: string): StorageError =>
  new StorageError(
    'InvalidArgument',
    `The blobs of the store in ${dir} were left in its replica: go on with instant, or open it.`,
    {
      details: { ArgumentName: 'instant' },
    },
  )

/** From the directory of a store or of a copy, which may be open. */
export async function restoreFromStore(
  from: string,
  dir: string,
  options: RestoreStoreOptions,
): Promise<RestoreReport> {
  if (options.instant === true) throw notReplica(from)
  const store = await openStoreReadOnly(from, { ...(options.signal && { signal: options.signal }) })
  try {
    const to = options.at === undefined ? store.seq : (await store.at(options.at)).seq
    const parts = openedParts(store)
    const source = {
      name: from,
      reader: journalSource(parts, await unseenBlobs(parts.journal, await nodeHashing())),
      to,
      toEnd: options.at === undefined,
      linkBlobsFrom: from,
    }
    return await restoreLog(source, dir, options)
  } finally {
    await store.close()
  }
}

const notReplica = (from: string): StorageError =>
  new StorageError('InvalidArgument', `An instant restore needs a replica, and ${from} is a store.`, {
    details: { ArgumentName: 'instant' },
  })
