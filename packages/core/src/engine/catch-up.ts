/** Making views from the log: after a crash between shapes, for a rebuild, or into an empty journal for comparison. */
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import { viewRange } from '../views/tables.ts'
import { Fold } from './fold.ts'
import { readLogPages } from '../events/log.ts'

/** How many of the events were applied. */
export interface Progress {
  readonly done: number
  readonly total: number
}

export interface CatchUpOptions {
  /** Where the events are read. */
  readonly log: Journal
  /** Where the rows are written; usually the same journal. */
  readonly views: Journal
  readonly hashing: Hashing
  /** First event to project. */
  readonly from: Seq
  readonly to: Seq
  readonly signal?: AbortSignal
  onProgress?(progress: Progress): void
}

const rowsPerCommit = 4096

/** Projects `from..to` group by group; one that is cut off can be taken up again behind its last group. */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { log, views, hashing, from, to, signal, onProgress } = options
  const fold = new Fold(views, hashing)
  try {
    for await (const page of readLogPages({ journal: log, hashing }, { from, to })) {
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

/** Drops every view row; the head row goes first, so a store opened in between knows that they must be made again. */
export async function dropViews(journal: Journal, signal?: AbortSignal): Promise<void> {
  const expectedHead = await journal.head()
  // One walk: each new one would have to step over all that was dropped before.
  const cursor = journal.cursor(viewRange)
  let reading = cursor.next(rowsPerCommit)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const rows = await reading
      if (rows.length === 0) return
      reading = cursor.next(rowsPerCommit)
      // The next events are read meanwhile; if that fails, the error appears when they are needed.
      reading.catch(() => undefined)
      await journal.commit({ expectedHead, events: [], rows: rows.map(([key]) => ({ key, value: null })) })
    }
  } finally {
    await reading.catch(() => undefined)
    await cursor.close()
  }
}
