/**
 * A journal over any abstract-level database. A group of commits is one batch, and only one batch is written at a time.
 * The head is kept in memory, once for all journals on the database: commits that arrive meanwhile wait, and are then
 * compared with the head they follow.
 *
 * Reads of few rows are synchronous if the database supports it: five times as fast as a trip through the thread pool.
 */
import type { Commit, Journal, RowReader, RowSnapshot, Seq, StoredEvent } from '@varve/core'
import { assertHead, assertRows, assertWellFormed } from '../journal-kit/expectations.ts'
import { type JournalGate, journalGate } from '../journal-kit/journal-gate.ts'
import {
  batchKeys,
  endOfEvents,
  eventKey,
  passingRowKey,
  positionIn,
  rowKey,
  seqOf,
} from '../journal-kit/key-spaces.ts'
import { pagedEvents } from '../journal-kit/paged-events.ts'
import { highWaterMarkBytes, levelCursor } from './level-cursor.ts'
import type { LevelBatch, LevelDatabase, LevelSnapshot } from './level-database.ts'
import { type LevelLog, openLevelLog } from './level-log.ts'
import { holdState, purgeRows } from './purge-rows.ts'

/** Options of a journal in LevelDB. */
export interface LevelJournalOptions {
  /** Wait for stable storage on every commit. Only a journal that may be lost can do without. @default true */
  readonly sync?: boolean
  /** The caller owns the database: nothing else commits to it while the journal is open. @default false */
  readonly exclusive?: boolean
}

/** Above this many keys the thread pool is as fast, and does not block the event loop. */
const syncKeysMax = 32
const eventsPerRead = 1000

/**
 * Opens `db` if it is closed, and takes it over: closing its last journal closes the database. Several journals of one
 * process may be on it.
 * @throws StorageError `JournalFailed` when the log cannot be read, `LogCorrupt` when its last key is no position.
 * @throws TypeError unless keys and values have the encoding `view`.
 */
export async function levelJournal(
  db: LevelDatabase,
  { sync = true, exclusive = false }: LevelJournalOptions = {},
): Promise<Journal> {
  for (const encoding of [db.keyEncoding(), db.valueEncoding()]) {
    if (encoding.commonName !== 'view') throw new TypeError(`The encoding must be view, not ${encoding.commonName}.`)
  }
  const gate = journalGate()
  const log: LevelLog = await gate.read(() => openLevelLog(db))
  let closing: Promise<void> | undefined

  const reader = rowReader(db, gate)

  async function apply(commit: Commit): Promise<void> {
    const { expectedRows = [] } = commit
    assertWellFormed(commit)
    gate.assertWritable()
    if (log.failure !== undefined) throw gate.fail(log.failure)
    assertHead(commit, log.head)
    if (expectedRows.length > 0) {
      assertRows(expectedRows, await reader.getMany(expectedRows.map(({ key }) => key)))
      gate.assertWritable()
    }
    if (commit.events.length + commit.rows.length === 0) return
    const batch = fill(db.batch(), log.head, commit)
    try {
      await batch.write({ sync })
    } catch (cause) {
      log.fail(cause)
      throw gate.fail(cause)
    }
    log.head += commit.events.length
  }

  async function purge(keys: readonly Uint8Array[]): Promise<boolean> {
    gate.assertWritable()
    if (log.failure !== undefined) throw gate.fail(log.failure)
    try {
      return await purgeRows(db, keys, { inTurn: (write) => log.inTurn(write) })
    } catch (cause) {
      log.fail(cause)
      throw gate.fail(cause)
    }
  }

  return {
    ...reader,
    exclusive,
    async head() {
      gate.assertOpen()
      return log.head
    },
    commit(commit) {
      return gate.closed ? apply(commit) : log.inTurn(() => apply(commit))
    },
    events: (range) => pagedEvents(gate, () => readPages(db, gate, range)),
    snapshot: () => rowSnapshot(db, gate),
    ...(db.compactRange && { purge }),
    close() {
      gate.close()
      closing ??= log.close()
      return closing
    },
  }
}

/** A chained batch copies the bytes at once, at half the cost of an array of operations. */
function fill(batch: LevelBatch, head: Seq, { events, rows }: Commit): LevelBatch {
  const keys = batchKeys(head, { events, rows })
  let at = 0
  for (const bytes of events) batch.put(keys[at++] as Uint8Array, bytes)
  for (const { value } of rows) {
    const key = keys[at++] as Uint8Array
    if (value === null) batch.del(key)
    else batch.put(key, value)
  }
  return batch
}

function rowReader(db: LevelDatabase, gate: JournalGate, snapshot?: LevelSnapshot): RowReader {
  const options = { snapshot }
  // Without options the database takes a faster path.
  const syncOptions = snapshot === undefined ? [] : ([options] as const)
  const getSync = db.supports.getSync === true
  return {
    get: (key) =>
      gate.get(() => (getSync ? db.getSync(passingRowKey(key), ...syncOptions) : db.get(rowKey(key), options))),
    getMany: (keys) =>
      gate.read(() => {
        if (!getSync || keys.length > syncKeysMax) return db.getMany(keys.map(rowKey), options)
        return keys.map((key) => db.getSync(passingRowKey(key), ...syncOptions))
      }),
    cursor: (range) => levelCursor(db, gate, range, snapshot),
  }
}

function rowSnapshot(db: LevelDatabase, gate: JournalGate): RowSnapshot {
  gate.assertOpen()
  const snapshot = holdState(db, db.snapshot())
  return { ...rowReader(db, gate, snapshot), close: () => snapshot.close() }
}

async function* readPages(
  db: LevelDatabase,
  gate: JournalGate,
  { from = 1, to }: { readonly from?: Seq; readonly to?: Seq } = {},
): AsyncGenerator<readonly StoredEvent[]> {
  gate.assertOpen()
  if (to !== undefined && to < from) return
  const end = to === undefined ? { lt: endOfEvents } : { lte: eventKey(to) }
  const iterator = holdState(db, db.iterator({ gte: eventKey(from), ...end, highWaterMarkBytes }))
  const read = () => gate.read(() => iterator.nextv(eventsPerRead))
  try {
    for (let reading = read(); ; ) {
      const entries = await reading
      const last = entries.at(-1)
      if (last === undefined) return
      const more = to === undefined || seqOf(last[0]) < to
      // Reads the next page meanwhile. If that fails, the error is thrown when the page is needed.
      if (more) (reading = read()).catch(() => undefined)
      const events = eventsOf(entries)
      gate.assertOpen()
      yield events
      // The events before a key that is no position are delivered before its error.
      if (events.length < entries.length) seqOf((entries[events.length] as [Uint8Array, Uint8Array])[0])
      if (!more) return
    }
  } finally {
    await iterator.close()
  }
}

/** Up to the first key that is no position. */
function eventsOf(entries: readonly [Uint8Array, Uint8Array][]): readonly StoredEvent[] {
  const events: StoredEvent[] = []
  for (const [key, bytes] of entries) {
    const seq = positionIn(key)
    if (seq === undefined) return events
    events.push({ seq, bytes })
  }
  return events
}
