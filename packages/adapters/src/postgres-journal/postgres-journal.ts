/** A journal over the connections to one schema of a database. */
import type { Commit, Journal, RowReader, RowSnapshot, Seq, StoredEvent } from '@varve/core'
import { assertWellFormed } from '../journal-kit/expectations.ts'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { pagedEvents } from '../journal-kit/paged-events.ts'
import { CommitOrder } from './commit-order.ts'
import type { Connections, HeldSnapshot } from './connections.ts'
import { type CursorState, postgresCursor } from './postgres-cursor.ts'
import { postgresFailure } from './postgres-failure.ts'
import { PostgresReads, type RunRows } from './postgres-reads.ts'
import { now, type Statements } from './statements.ts'
import { writeCommit } from './write-commit.ts'

export interface PostgresJournalParts {
  readonly gate: JournalGate
  readonly connections: Connections
  readonly statements: Statements
  /** Whether commits are durable on the server before they resolve. */
  readonly isDurable: boolean
}

export function postgresJournal({ gate, connections, statements, isDurable }: PostgresJournalParts): Journal {
  const anyConnection: RunRows = (text, values) => failing('A read', () => connections.rows(text, values))
  const reads = new PostgresReads(anyConnection, statements)
  const order = new CommitOrder()
  let closing: Promise<void> | undefined

  const hold = (): Promise<HeldSnapshot> => failing('A snapshot', () => connections.hold())
  const readsOf = (held: HeldSnapshot): PostgresReads =>
    new PostgresReads((text, values) => failing('A read', () => held.rows(text, values)), statements)

  /** The state is requested now, and used when it is there. */
  function cursorState(): CursorState {
    const opening = hold()
    let closed = false
    opening.then(
      (held) => closed && held.release(),
      () => undefined,
    )
    return {
      rows: async (range, count) => readsOf(await opening).rows(range, count),
      release() {
        closed = true
        void opening.then(
          (held) => held.release(),
          () => undefined,
        )
      },
    }
  }

  const write = (commit: Commit): Promise<void> =>
    failing('A commit', () => writeCommit((work) => connections.run(work), statements.commit, { commit, isDurable }))

  async function close(): Promise<void> {
    await order.idle()
    await connections.close()
  }

  return {
    ...reader(gate, reads, cursorState),
    now: () => gate.read(async () => Number((await anyConnection(now, []))[0]?.[0])),
    head: () => gate.read(() => reads.head()),
    async commit(commit) {
      assertWellFormed(commit)
      gate.assertOpen()
      await order.run(commit, () => write(commit))
    },
    events: (range) => pagedEvents(gate, () => eventPages(gate, reads, range)),
    snapshot: () =>
      gate.read(async () => {
        const held = await hold()
        return snapshotOf(gate, readsOf(held), () => held.release())
      }),
    close() {
      gate.close()
      closing ??= close()
      return closing
    },
  }
}

async function failing<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw postgresFailure(error, doing)
  }
}

function reader(gate: JournalGate, reads: Pick<PostgresReads, 'get' | 'getMany'>, state: () => CursorState): RowReader {
  return {
    get: (key) => gate.read(() => reads.get(key)),
    getMany: (keys) => gate.read(() => reads.getMany(keys)),
    cursor(range) {
      gate.assertOpen()
      return postgresCursor(gate, range, state())
    },
  }
}

function snapshotOf(gate: JournalGate, reads: PostgresReads, release: () => void): RowSnapshot {
  let closed = false
  const held = <T>(read: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(new TypeError('The snapshot is closed.'))
    return read()
  }
  const state = {
    get: (key: Uint8Array) => held(() => reads.get(key)),
    getMany: (keys: readonly Uint8Array[]) => held(() => reads.getMany(keys)),
  }
  // A cursor of a snapshot ends with the snapshot.
  const cursorState: CursorState = {
    rows: (range, count) => held(() => reads.rows(range, count)),
    release: () => undefined,
  }
  return {
    ...reader(gate, state, () => cursorState),
    async close() {
      closed = true
      release()
    },
  }
}

async function* eventPages(
  gate: JournalGate,
  reads: PostgresReads,
  { from = 1, to }: { readonly from?: Seq; readonly to?: Seq } = {},
): AsyncGenerator<readonly StoredEvent[]> {
  const end = to ?? (await gate.read(() => reads.head()))
  for (let next = from; next <= end; ) {
    const at = next
    const events = await gate.read(() => reads.events(at, end))
    if (events.length === 0) return
    yield events
    next = (events.at(-1)?.seq ?? end) + 1
  }
}
