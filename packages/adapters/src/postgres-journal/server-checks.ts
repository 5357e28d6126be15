/** What a server must be to hold a journal. */
import { StorageError } from '@varve/core'
import type { CheckServer } from './checked-clients.ts'
import { standby } from './connections.ts'
import { assertKnown } from './open-schema.ts'
import { type PgClient, rowsOf } from './pg-client.ts'
import { beginSnapshot, serverSettings, type Statements } from './statements.ts'

/**
 * @throws StorageError `JournalFailed`: `details.kind` is `standby`, `readOnly`, `isolation` or `notDurable`
 */
export async function checkServer(client: PgClient, allowsLoss: boolean): Promise<void> {
  const [settings = []] = await rowsOf(client, serverSettings)
  const [isStandby, isReadOnly, isolation, ...durability] = settings
  if (isStandby === 't') throw standby()
  if (isReadOnly === 'on') throw unfit('readOnly', 'The database is read-only.')
  if (isolation !== 'read committed') {
    throw unfit('isolation', `default_transaction_isolation is ${isolation}; a journal needs read committed.`)
  }
  const off = ['synchronous_commit', 'fsync', 'full_page_writes'].find((_, i) => durability[i] === 'off')
  if (off === undefined || allowsLoss) return
  throw unfit('notDurable', `${off} is off: the server can lose commits that it has acknowledged.`)
}

/**
 * Checks that a snapshot of several statements has one connection of the server.
 * @throws StorageError `JournalFailed`: `details.kind` is `pooling`
 */
export async function checkPooling(client: PgClient): Promise<void> {
  try {
    await rowsOf(client, beginSnapshot)
    const [state] = await rowsOf(client, "SELECT current_setting('transaction_isolation')")
    if (state?.[0] !== 'repeatable read') throw statementMode()
    await rowsOf(client, 'COMMIT')
  } catch (error) {
    // PgBouncer ends a connection that begins a transaction.
    throw error instanceof Error && error.message.includes('statement pooling') ? statementMode(error) : error
  }
}

const statementMode = (cause?: Error): StorageError =>
  unfit('pooling', 'The pooler gives each statement another connection; a journal needs its transaction mode.', cause)

/**
 * Checks that a connection leads to the same store as the first one, and to a primary. `isReading`: begins a snapshot for it.
 * @throws StorageError `JournalFailed`: `details.kind` is `standby` or `otherStore`; `UnsupportedFormat`: a newer release
 * has changed the schema
 */
export const checkStore =
  (statements: Statements, store: string): CheckServer =>
  async (client, isReading) => {
    const text = isReading ? `${beginSnapshot}; ${statements.check}` : statements.check
    const [[isStandby, found, start, process, version] = []] = await rowsOf(client, text)
    if (isStandby !== 'f') throw standby()
    if (found !== store) throw unfit('otherStore', 'The address leads to another store than before.')
    assertKnown(Number(version))
    return { start: start ?? '', isPooled: Number(process) !== client.processID }
  }

const unfit = (kind: string, message: string, cause?: Error): StorageError =>
  new StorageError('JournalFailed', message, { details: { kind }, cause })
