/**
 * Listings of versions have the newest version of a key first, and those that are imported need the oldest first. Holds a
 * page of entries, and the places where the pages of one key begin: the pages before the last are read twice.
 */
import { StorageError } from '@varve/core'

/** A version in a listing. */
export interface VersionPlace {
  readonly key: string
  readonly versionId: string
}

export interface VersionsPage<V> {
  readonly entries: readonly V[]
  readonly isTruncated: boolean
}

/** Reads the page after a version; the first page, if there is none. */
export type ReadVersionsPage<V> = (after: VersionPlace | undefined) => Promise<VersionsPage<V>>

/** Versions of one key that stand in one page. */
interface Run<V> {
  readonly after: VersionPlace | undefined
  readonly last: V
}

/** @throws StorageError `SourceFailed` for pages of a key that come again: the listing would never end */
export async function* oldestFirst<V extends VersionPlace>(read: ReadVersionsPage<V>): AsyncGenerator<V> {
  let runs: Run<V>[] = []
  let newestRun: readonly V[] = []
  let after: VersionPlace | undefined
  const ends = new PageEnds()
  for (let isTruncated = true; isTruncated; ) {
    const page = await read(after)
    ends.take(page.entries.at(-1))
    for (const run of runsOf(page.entries)) {
      const last = run.at(-1) as V
      if (runs.length > 0 && runs[0]?.last.key !== last.key) {
        yield* reversed(read, runs, newestRun)
        runs = []
      }
      runs.push({ after, last })
      newestRun = run
    }
    ;({ isTruncated } = page)
    after = page.entries.at(-1) ?? after
  }
  yield* reversed(read, runs, newestRun)
}

/** Entries that follow one another and have one key. */
function runsOf<V extends VersionPlace>(entries: readonly V[]): V[][] {
  const runs: V[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    if (run !== undefined && run[0]?.key === entry.key) run.push(entry)
    else runs.push([entry])
  }
  return runs
}

async function* reversed<V extends VersionPlace>(
  read: ReadVersionsPage<V>,
  runs: readonly Run<V>[],
  newestRun: readonly V[],
): AsyncGenerator<V> {
  yield* newestRun.toReversed()
  for (const run of runs.slice(0, -1).toReversed()) yield* (await entriesOf(read, run)).toReversed()
}

/** Versions that were added meanwhile stand before those of the run. */
async function entriesOf<V extends VersionPlace>(read: ReadVersionsPage<V>, { after, last }: Run<V>): Promise<V[]> {
  const found: V[] = []
  const ends = new PageEnds()
  let from = after
  for (;;) {
    const { entries, isTruncated } = await read(from)
    ends.take(entries.at(-1))
    for (const entry of entries) {
      if (entry.key !== last.key) continue
      found.push(entry)
      if (entry.versionId === last.versionId) return found
    }
    // The version was removed meanwhile.
    if (!isTruncated || entries.at(-1)?.key !== last.key) return found
    from = entries.at(-1) ?? from
  }
}

/** The versions at the ends of the pages of the present key. */
class PageEnds {
  #key: string | undefined
  readonly #versionIds = new Set<string>()

  /** @throws StorageError `SourceFailed` for a version that was at the end of a page before */
  take(end: VersionPlace | undefined): void {
    if (end === undefined) return
    if (end.key !== this.#key) this.#versionIds.clear()
    this.#key = end.key
    if (!this.#versionIds.has(end.versionId)) return void this.#versionIds.add(end.versionId)
    throw new StorageError(
      'SourceFailed',
      `The listing of the versions of ${JSON.stringify(end.key)} repeats itself.`,
      {
        details: { kind: 'WrongAnswer', key: end.key },
      },
    )
  }
}
