/** Commits rows of keyspaces beside the commits of the engine. */
import { isStorageError, StorageError } from '../base/errors.ts'
import type { KeyspaceEngine } from './keyspace-engine.ts'
import type { RowChange, RowRange } from '../ports/index.ts'

export interface KeyspaceRows {
  readonly name: string
  /** @default none */
  readonly expected?: RowChange
  readonly rows: readonly RowChange[]
  /** Committed also while the store closes. @default false */
  readonly isLast?: boolean
}

/**
 * @throws StorageError `KeyspaceConflict` when the expected row is another one, and nothing was changed; `ReadOnly`;
 * `StoreClosed` when the store was moved; `StoreFailed` when the outcome is unknown: the store then takes no more writes
 */
export async function commitRows(
  engine: KeyspaceEngine,
  { name, expected, rows, isLast = false }: KeyspaceRows,
): Promise<void> {
  if (!isLast) engine.assertOpen()
  engine.assertWritable()
  if (engine.failure !== undefined) throw engine.failure
  const expectedRows = expected === undefined ? [] : [expected]
  await engine.beside.during(async () => {
    try {
      await engine.ports.journal.commit({ expectedRows, events: [], rows, outsideLog: true })
    } catch (error) {
      throw isStorageError(error, 'JournalConflict') ? keyspaceConflict(name, error) : engine.fail(error)
    }
  })
}

export const keyspaceConflict = (name: string, cause?: unknown): StorageError =>
  new StorageError('KeyspaceConflict', `Another holder changed the keyspace ${name}.`, {
    details: { keyspace: name },
    ...(cause !== undefined && { cause }),
  })

const rowsPerCommit = 4096

/** Removes all rows of a range. If this is interrupted, the rest of the rows stays. */
export async function removeRows(
  engine: KeyspaceEngine,
  name: string,
  range: RowRange,
  signal?: AbortSignal,
): Promise<void> {
  const cursor = engine.ports.journal.cursor(range)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const rows = await cursor.next(rowsPerCommit)
      if (rows.length === 0) return
      await commitRows(engine, { name, rows: rows.map(([key]) => ({ key, value: null })) })
      await engine.turns.pass()
    }
  } finally {
    await cursor.close()
  }
}
