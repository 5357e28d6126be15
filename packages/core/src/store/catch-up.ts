/** Making views from the log: after a crash between shapes, for a rebuild, or into an empty journal for comparison. */
import type { Hashing, Journal, Seq } from '../ports/index.ts'
import { project } from '../views/project.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey, viewRange, viewsVersion } from '../views/tables.ts'
import { readLog } from './log.ts'
import type { LogEnd } from './recorder.ts'

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

const eventsPerCommit = 500
const rowsPerCommit = 2000

/** Projects `from..to`, a batch at a time; the head row goes with each batch, so it can be cut off and taken up again. */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { log, views, hashing, from, to, signal, onProgress } = options
  let rows = new RowTransaction(views, hashing)
  let end: LogEnd | undefined
  let pending = 0
  const flush = async (): Promise<void> => {
    if (end === undefined) return
    rows.put(headKey, { ...end, views: viewsVersion })
    await views.commit({ expectedHead: await views.head(), events: [], rows: rows.changes() })
    onProgress?.({ done: end.seq - from + 1, total: to - from + 1 })
    rows = new RowTransaction(views, hashing)
    pending = 0
  }
  for await (const { event, hash } of readLog({ journal: log, hashing }, { from, to })) {
    signal?.throwIfAborted()
    await project(rows, event)
    end = { seq: event.seq, at: event.at, hash }
    if (++pending === eventsPerCommit) await flush()
  }
  if (pending > 0) await flush()
}

/** Drops every view row; the head row goes first, so a store opened in between knows that they must be made again. */
export async function dropViews(journal: Journal, signal?: AbortSignal): Promise<void> {
  const expectedHead = await journal.head()
  for (;;) {
    signal?.throwIfAborted()
    const cursor = journal.cursor(viewRange)
    const rows = await cursor.next(rowsPerCommit)
    await cursor.close()
    if (rows.length === 0) return
    await journal.commit({ expectedHead, events: [], rows: rows.map(([key]) => ({ key, value: null })) })
  }
}
