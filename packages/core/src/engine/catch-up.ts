/** Computes views from the log: after a crash or a new format of the views, for a rebuild, or into an empty journal. */
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import type { CommitGuard } from '../sharing/sharing.ts'
import { viewRange } from '../views/tables.ts'
import { Fold } from './fold.ts'
import type { ViewsEnd } from './recorder.ts'
import { readLogPages } from '../events/log.ts'
import { isStorageError } from '../base/errors.ts'

/** How many of the events were applied. */
export interface Progress {
  readonly done: number
  readonly total: number
}

export interface CatchUpOptions {
  /** The journal that the events are read from. */
  readonly log: Journal
  /** The journal that the rows are written to; usually the same one. */
  readonly views: Journal
  readonly hashing: Hashing
  /** The first event to project. */
  readonly from: Seq
  readonly to: Seq
  readonly signal?: AbortSignal
  /** The event before `from`, which the views contain. Absent for empty views. */
  readonly start?: ViewsEnd | undefined
  /** Guards the commits of views on a journal that other engines use. The log then ends at `to`. */
  readonly guard?: CommitGuard | undefined
  onProgress?(progress: Progress): void
}

const rowsPerCommit = 4096

/** Projects `from..to` group by group. An interrupted run can be continued after its last group. */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { log, views, hashing, from, to, signal, onProgress } = options
  const fold = new Fold(views, hashing, { ...options, head: to })
  try {
    for await (const page of readLogPages({ journal: log, hashing }, { from, to })) {
      // A journal of this process answers each read at once.
      if (views.exclusive !== true) await fold.foresee(page.map(({ event }) => event))
      for (const decoded of page) {
        signal?.throwIfAborted()
        const reading = fold.take(decoded)
        if (reading !== undefined) await reading
        if (!fold.full) continue
        await fold.flush()
        onProgress?.({ done: decoded.event.seq - from + 1, total: to - from + 1 })
      }
    }
    await fold.finish()
  } finally {
    await fold.stop()
  }
  if (to >= from) onProgress?.({ done: to - from + 1, total: to - from + 1 })
}

type DropOptions = Pick<CatchUpOptions, 'signal' | 'guard'>

/**
 * Drops every view row. The head row goes first, so that an opening in between knows that views must be rebuilt. Resolves
 * with the end of the log, which other engines do not move before the views are complete.
 */
export async function dropViews(journal: Journal, options: DropOptions = {}): Promise<Seq> {
  for (;;) {
    try {
      return await dropRows(journal, options)
    } catch (error) {
      if (options.guard === undefined || !isStorageError(error, 'JournalConflict')) throw error
      // Another engine committed before the first rows were dropped. Later it cannot.
      await options.guard.check()
    }
  }
}

async function dropRows(journal: Journal, { signal, guard }: DropOptions): Promise<Seq> {
  const expectedHead = await journal.head()
  // One cursor for all: a new one would have to skip every row that was dropped before.
  const cursor = journal.cursor(viewRange)
  let reading = cursor.next(rowsPerCommit)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const rows = await reading
      if (rows.length === 0) return expectedHead
      reading = cursor.next(rowsPerCommit)
      // The next rows are read meanwhile; an error of this read is thrown when they are needed.
      reading.catch(() => undefined)
      const expectedRows = (await guard?.rows()) ?? []
      await journal.commit({
        expectedHead,
        expectedRows,
        events: [],
        rows: rows.map(([key]) => ({ key, value: null })),
      })
    }
  } finally {
    await reading.catch(() => undefined)
    await cursor.close()
  }
}
