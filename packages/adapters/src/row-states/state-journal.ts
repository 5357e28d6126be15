/** A journal over a database that reads synchronously and writes a group of commits in one transaction. */
import type { Commit, Journal, RowReader, RowSnapshot, Seq, StoredEvent } from '@varve/core'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { CommitTurn } from '../journal-kit/commit-turn.ts'
import { pagedEvents } from '../journal-kit/paged-events.ts'
import { PausedReads, type ReadGate } from './paused-reads.ts'
import { restAfterFailures } from './rest-after-failures.ts'
import type { EventPage, HeldState, RowState } from './row-state.ts'
import { stateCursor } from './state-cursor.ts'
import { StateViews } from './state-views.ts'

export interface StateDatabase {
  readonly newest: RowState
  /** Keeps the current state for a reader. */
  keep(): HeldState
  readonly events: EventPage
  /** The position of the last event. */
  head(): Seq
  /** All or nothing; durable and visible when it resolves. The events get the positions after `head`. */
  write(commits: readonly Commit[], head: Seq): Promise<void>
  /**
   * Leaves nothing of removed rows in the files. False if readers keep older states, or if there is no room: it has to be called again
   * later. Never called during a write, and the newest state stays as it is. No read runs while `withoutReads` runs its work.
   */
  rewrite?(withoutReads: (work: () => Promise<void>) => Promise<void>): Promise<boolean>
  /** Called when no kept state is in use any more. */
  close(): Promise<void>
}

/**
 * Takes the database over: closing the journal closes the database.
 * @throws StorageError `JournalFailed` when the log cannot be read.
 */
export async function stateJournal(db: StateDatabase, gate: JournalGate): Promise<Journal> {
  const views = new StateViews(db.newest, () => db.keep())
  let head = await gate.read(() => db.head())
  const reads = new PausedReads(gate)
  const reader = stateReader(reads, db.newest, () => views.hold())
  const turn = new CommitTurn({ gate, head: () => head, rows: reader, write })
  let closing: Promise<void> | undefined

  async function orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      throw gate.fail(cause)
    }
  }

  async function write(commits: readonly Commit[]): Promise<void> {
    await orFail(() => views.change(() => db.write(commits, head)))
    for (const { events } of commits) head += events.length
  }

  const rewrite = restAfterFailures(async () => (await db.rewrite?.((work) => reads.pauseFor(work))) ?? false)

  const purge = (keys: readonly Uint8Array[]): Promise<boolean> =>
    turn.alone(async () => {
      gate.assertWritable()
      // Without a change, the readers of the newest state are not in the way.
      const found = await reads.read(() => keys.filter((key) => db.newest.get(key) !== undefined))
      const rows = found.map((key) => ({ key, value: null }))
      if (rows.length > 0) await write([{ events: [], rows }])
      return orFail(rewrite)
    })

  async function closeAll(): Promise<void> {
    await turn.idle()
    views.releaseAll()
    await db.close()
  }

  return {
    ...reader,
    async head() {
      gate.assertOpen()
      return head
    },
    commit: (commit) => turn.commit(commit),
    events: (range) =>
      pagedEvents(gate, () =>
        readPages(
          reads,
          (from, to) => db.events(from, to),
          () => head,
          range,
        ),
      ),
    snapshot: () => stateSnapshot(reads, views.hold()),
    ...(db.rewrite && { purge }),
    close() {
      gate.close()
      closing ??= closeAll()
      return closing
    },
  }
}

/** `hold` returns the state that a cursor walks. */
function stateReader(gate: ReadGate, state: RowState, hold: () => HeldState): RowReader {
  return {
    get: (key) => gate.get(() => state.get(key)),
    getMany: (keys) => gate.read(() => keys.map((key) => state.get(key))),
    cursor(range) {
      gate.assertOpen()
      return stateCursor(gate, range, hold())
    },
  }
}

function stateSnapshot(gate: ReadGate, held: HeldState): RowSnapshot {
  let closed = false
  const assertHeld = (): void => {
    if (closed) throw new TypeError('The snapshot is closed.')
  }
  const state: RowState = {
    get(key) {
      assertHeld()
      return held.get(key)
    },
    rows(range, count) {
      assertHeld()
      return held.rows(range, count)
    },
  }
  return {
    // A cursor of a snapshot ends with the snapshot.
    ...stateReader(gate, state, () => ({ ...state, release: () => undefined })),
    async close() {
      closed = true
      held.release()
    },
  }
}

/**
 * Events never change, so each page is read from the newest state. That state may have more of them than `head` says: while
 * a commit is made, a snapshot can show it before the commit resolves, and an engine that reads the snapshot then reads its events.
 */
async function* readPages(
  gate: ReadGate,
  page: EventPage,
  head: () => Seq,
  { from = 1, to: end = head() }: { readonly from?: Seq; readonly to?: Seq } = {},
): AsyncGenerator<readonly StoredEvent[]> {
  gate.assertOpen()
  for (let next = from; next <= end; ) {
    const at = next
    const events = await gate.read(() => page(at, end))
    if (events.length === 0) return
    gate.assertOpen()
    yield events
    next = (events.at(-1)?.seq ?? end) + 1
  }
}
