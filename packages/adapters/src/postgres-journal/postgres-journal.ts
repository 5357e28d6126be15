/** A journal over the connections to one schema of a database. */
import type {
  Commit,
  HeldHead,
  Journal,
  RowReader,
  RowSnapshot,
  RowSnapshotOptions,
  Seq,
  StoredEvent,
} from '@varve/core'
import { assertWellFormed } from '../journal-kit/expectations.ts'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { pagedEvents } from '../journal-kit/paged-events.ts'
import { CommitOrder } from './commit-order.ts'
import type { Connections, DatabaseStatus, HeldSnapshot } from './connections.ts'
import { GatheredGets } from './gathered-gets.ts'
import { takeTurn } from './head-turn.ts'
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

/** A journal that tells how it uses its database. */
export interface PostgresJournal extends Journal {
  /** Asks nothing. */
  database(): DatabaseStatus
}

export function postgresJournal({ gate, connections, statements, isDurable }: PostgresJournalParts): PostgresJournal {
  const anyConnection: RunRows = (text, values) => failing('A read', () => connections.rows(text, values))
  const reads = new PostgresReads(anyConnection, statements)
  const gets = new GatheredGets(reads)
  const order = new CommitOrder()
  let closing: Promise<void> | undefined

  const hold = (options?: RowSnapshotOptions): Promise<HeldSnapshot> =>
    failing('A snapshot', () => connections.hold(options))
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
    recovers: true,
    ...reader(gate, { get: (key) => gets.get(key), getMany: (keys) => reads.getMany(keys) }, cursorState),
    now: () => gate.read(async () => Number((await anyConnection(now, []))[0]?.[0])),
    database: () => connections.status,
    head: () => gate.read(() => reads.head()),
    async commit(commit) {
      assertWellFormed(commit)
      gate.assertOpen()
      await order.run(commit, () => write(commit))
    },
    hold: () =>
      gate.read(() => failing('A turn', async () => heldHead(await takeTurn({ connections, statements, isDurable })))),
    events: (range) => pagedEvents(gate, () => eventPages(gate, reads, range)),
    snapshot: (options) =>
      gate.read(async () => {
        const held = await hold(options)
        return snapshotOf(gate, readsOf(held), () => held.release())
      }),
    close() {
      gate.close()
      closing ??= close()
      return closing
    },
  }
}

/** With the errors of a journal. */
const heldHead = (held: HeldHead): HeldHead => ({
  seq: held.seq,
  commit: (commit) => {
    assertWellFormed(commit)
    return failing('A commit', () => held.commit(commit))
  },
  release: () => held.release(),
})

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
