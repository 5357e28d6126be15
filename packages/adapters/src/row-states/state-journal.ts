/** A journal over a database that reads synchronously and writes a group of commits in one transaction. */
import type { Commit, Journal, RowReader, RowSnapshot, Seq, StoredEvent } from '@varve/core'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { CommitTurn } from '../journal-kit/commit-turn.ts'
import { pagedEvents } from '../journal-kit/paged-events.ts'
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
  /** As `Journal.purge`. Never called during a write. */
  purge?(keys: readonly Uint8Array[]): Promise<boolean>
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
  const reader = stateReader(gate, db.newest, () => views.hold())
  const turn = new CommitTurn({ gate, head: () => head, rows: reader, write })
  let closing: Promise<void> | undefined

  async function change<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await views.change(work)
    } catch (cause) {
      throw gate.fail(cause)
    }
  }

  async function write(commits: readonly Commit[]): Promise<void> {
    await change(() => db.write(commits, head))
    for (const { events } of commits) head += events.length
  }

  const purgeAlone = (keys: readonly Uint8Array[]): Promise<boolean> =>
    turn.alone(async () => {
      gate.assertWritable()
      return change(async () => (await db.purge?.(keys)) ?? false)
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
          gate,
          (from, to) => db.events(from, to),
          () => head,
          range,
        ),
      ),
    snapshot: () => stateSnapshot(gate, views.hold()),
    ...(db.purge && { purge: purgeAlone }),
    close() {
      gate.close()
      closing ??= closeAll()
      return closing
    },
  }
}

/** `hold` returns the state that a cursor walks. */
function stateReader(gate: JournalGate, state: RowState, hold: () => HeldState): RowReader {
  return {
    get: (key) => gate.get(() => state.get(key)),
    getMany: (keys) => gate.read(() => keys.map((key) => state.get(key))),
    cursor(range) {
      gate.assertOpen()
      return stateCursor(gate, range, hold())
    },
  }
}

function stateSnapshot(gate: JournalGate, held: HeldState): RowSnapshot {
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
  gate: JournalGate,
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
