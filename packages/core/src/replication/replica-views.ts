/** Keeps the rows of the views in a replica: the last two files that were written. */
import { isStorageError } from '../base/errors.ts'
import { tipAt } from '../events/log.ts'
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import type { ReplicaPorts } from './replica-reader.ts'
import type { Replicator } from './replicator.ts'
import { listViews, openViews } from './stored-views.ts'
import { type WrittenViews, writeViews } from './write-views.ts'

export interface ViewsUpkeep {
  readonly from: { readonly journal: Pick<Journal, 'snapshot' | 'events'> }
  readonly into: ReplicaPorts
  readonly hashing: Hashing
  readonly replicator: Pick<Replicator, 'position' | 'term' | 'store' | 'assertGoesOn'>
  /** Fewer events than these need no file. */
  readonly eventsMin: number
  /** A file is written after as many events as this share of the rows of the last one, so that all have a few rows for each event. @default 0.5 */
  readonly rowsShare?: number
}

const defaultRowsShare = 0.5
/** Another process may be reading the one before. */
const keptFiles = 2

/** Writes the views into a replica when enough is new. */
export class ReplicaViews {
  readonly #replica: ViewsUpkeep
  /** The names of all files, the newest last. */
  #names: readonly string[]
  #last: Pick<WrittenViews, 'seq' | 'rows'>
  #isDamaged = false
  /** A file that could not be written is tried again after as many events. */
  #triedAt: Seq = 0

  /** @throws what the target throws */
  static async begin(replica: ViewsUpkeep): Promise<ReplicaViews> {
    const files = await listViews(replica.into)
    const newest = files.at(-1)
    const last = newest && (await openViews(replica.into, newest))
    const names = files.map(({ name }) => name)
    if (last === undefined) return new ReplicaViews(replica, names, none)
    const { last: hash, to: seq } = last.facts
    const rows = last.entries.reduce((sum, { count }) => sum + count, 0) / 2
    return new ReplicaViews(replica, names, (await hasEvent(replica, seq, hash)) ? { seq, rows } : none)
  }

  private constructor(replica: ViewsUpkeep, names: readonly string[], last: Pick<WrittenViews, 'seq' | 'rows'>) {
    this.#replica = replica
    this.#names = names
    this.#last = last
  }

  get #isDue(): boolean {
    const { eventsMin, rowsShare = defaultRowsShare, replicator } = this.#replica
    const wanted = Math.max(eventsMin, this.#last.rows * rowsShare)
    return !this.#isDamaged && replicator.position - Math.max(this.#last.seq, this.#triedAt) >= wanted
  }

  /**
   * Writes the views if that is due, and deletes what is older than the file before. Resolves with whether it wrote. A damaged row of the
   * store is left to those who read it: then no views are written in this term.
   * @throws StorageError `ReplicaHeld`; what the ports throw; the reason of `signal`
   */
  async step(signal?: AbortSignal): Promise<boolean> {
    if (!this.#isDue) return false
    const { from, into, hashing, replicator } = this.#replica
    const { store, term, position } = replicator
    this.#triedAt = position
    try {
      const written = await writeViews({ journal: from.journal, into, hashing, store, term, signal })
      if (written === undefined) return false
      this.#last = written
      this.#names = [...this.#names, written.name]
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
      this.#isDamaged = true
      return false
    }
    await replicator.assertGoesOn()
    const old = this.#names.slice(0, -keptFiles)
    if (old.length > 0) await into.files.delete(old)
    this.#names = this.#names.slice(-keptFiles)
    return true
  }
}

const none = { seq: 0, rows: 0 } as const

/** Whether the log of the store has the event: views of a branch that was left are of no use to it. */
async function hasEvent({ from, hashing }: ViewsUpkeep, seq: Seq, hash: string): Promise<boolean> {
  try {
    return (await tipAt({ journal: from.journal, hashing }, seq)).hash === hash
  } catch (error) {
    if (isStorageError(error, 'LogCorrupt')) return false
    throw error
  }
}
