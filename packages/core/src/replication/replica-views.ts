/** Keeps the rows of the views in a replica, in files that are the further apart the older they are. */
import { isStorageError } from '../base/errors.ts'
import { tipAt } from '../events/log.ts'
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import { viewsVersion } from '../views/tables.ts'
import type { PartFacts } from './part-form.ts'
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
/** Two neighbours are as far apart, in events, as this share of what was written after them. */
const gapShare = 0.5

/** Writes the views into a replica when enough is new. */
export class ReplicaViews {
  readonly #replica: ViewsUpkeep
  /** Those of the log of the store and of this release's version, the oldest first. */
  #files: readonly StoredViews[]
  /** The names of others. */
  #useless: readonly string[]
  #rows: number
  #isDamaged = false
  /** A file that could not be written is tried again after as many events. */
  #triedAt: Seq = 0

  /** @throws what the target throws */
  static async begin(replica: ViewsUpkeep): Promise<ReplicaViews> {
    const [files, useless]: [StoredViews[], string[]] = [[], []]
    let rows = 0
    for (const file of await listViews(replica.into)) {
      const part = await openViews(replica.into, file)
      if (part === undefined || !(await isOfUse(replica, part.facts))) {
        useless.push(file.name)
        continue
      }
      files.push(file)
      rows = part.entries.reduce((sum, { count }) => sum + count, 0) / 2
    }
    return new ReplicaViews(replica, { files, useless, rows })
  }

  private constructor(replica: ViewsUpkeep, found: FoundViews) {
    this.#replica = replica
    this.#files = found.files
    this.#useless = found.useless
    this.#rows = found.rows
  }

  get #isDue(): boolean {
    const { eventsMin, rowsShare = defaultRowsShare, replicator } = this.#replica
    const wanted = Math.max(eventsMin, this.#rows * rowsShare)
    const last = this.#files.at(-1)?.seq ?? 0
    return !this.#isDamaged && replicator.position - Math.max(last, this.#triedAt) >= wanted
  }

  /**
   * Writes the views if that is due, and then deletes files that are of no use or too close to others. Resolves with whether it wrote. A
   * damaged row of the store is left to those who read it: then no views are written in this term.
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
      this.#rows = written.rows
      this.#files = [...this.#files, written]
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
      this.#isDamaged = true
      return false
    }
    await this.#thinOut()
    return true
  }

  async #thinOut(): Promise<void> {
    const { into, replicator } = this.#replica
    await replicator.assertGoesOn()
    const kept = spacedOut(this.#files)
    const close = this.#files.filter((file) => !kept.includes(file)).map(({ name }) => name)
    const names = [...this.#useless, ...close]
    if (names.length > 0) await into.files.delete(names)
    this.#files = kept
    this.#useless = []
  }
}

type StoredViews = Pick<WrittenViews, 'name' | 'seq'>

interface FoundViews {
  readonly files: readonly StoredViews[]
  readonly useless: readonly string[]
  /** Of the last file. */
  readonly rows: number
}

/**
 * Leaves out files that are closer to their neighbours than their age needs, so that there are the fewer the older they are, and a restore to
 * a moment computes the rows of the fewer events the later it is. The last two stay: another process may be reading the one before.
 */
function spacedOut(files: readonly StoredViews[]): readonly StoredViews[] {
  const newest = files.at(-1)?.seq ?? 0
  const kept: StoredViews[] = []
  for (const [at, file] of [...files.entries()].reverse()) {
    const older = files[at - 1]?.seq ?? 0
    const newer = kept[0]?.seq
    if (newer === undefined || newer - older > (newest - newer) * gapShare) kept.unshift(file)
  }
  return kept
}

/** Whether this release reads the views, and the log of the store has their event: those of a branch that was left are of no use to it. */
async function isOfUse({ from, hashing }: ViewsUpkeep, { to, last, views }: PartFacts): Promise<boolean> {
  if (views !== viewsVersion) return false
  try {
    return (await tipAt({ journal: from.journal, hashing }, to)).hash === last
  } catch (error) {
    if (isStorageError(error, 'LogCorrupt')) return false
    throw error
  }
}
