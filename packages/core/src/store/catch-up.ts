/** Making views from the log: after a crash between shapes, for a rebuild, or into an empty journal for comparison. */
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import { viewRange } from '../views/tables.ts'
import { Fold } from './fold.ts'
import { readLog } from './log.ts'

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
  for await (const decoded of readLog({ journal: log, hashing }, { from, to })) {
    signal?.throwIfAborted()
    if (await fold.take(decoded)) onProgress?.({ done: decoded.event.seq - from + 1, total: to - from + 1 })
  }
  await fold.flush()
  if (to >= from) onProgress?.({ done: to - from + 1, total: to - from + 1 })
}

/** Drops every view row; the head row goes first, so a store opened in between knows that they must be made again. */
export async function dropViews(journal: Journal, signal?: AbortSignal): Promise<void> {
  const expectedHead = await journal.head()
  // One walk: each new one would have to step over all that was dropped before.
  const cursor = journal.cursor(viewRange)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const rows = await cursor.next(rowsPerCommit)
      if (rows.length === 0) return
      await journal.commit({ expectedHead, events: [], rows: rows.map(([key]) => ({ key, value: null })) })
    }
  } finally {
    await cursor.close()
  }
}
