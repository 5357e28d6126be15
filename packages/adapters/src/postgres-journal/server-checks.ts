/** What a server must be to hold a journal. */
import { StorageError } from '@varve/core'
import { standby } from './connections.ts'
import { type PgClient, rowsOf } from './pg-client.ts'
import { serverSettings, type Statements } from './statements.ts'

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
 * Checks that a connection leads to the same store as the first one, and to a primary.
 * @returns what the start of the server is known by
 * @throws StorageError `JournalFailed`: `details.kind` is `standby` or `otherStore`
 */
export async function checkStore(client: PgClient, statements: Statements, store: string): Promise<string> {
  const [found = []] = await rowsOf(client, statements.check)
  if (found[0] !== 'f') throw standby()
  if (found[1] !== store) throw unfit('otherStore', 'The address leads to another store than before.')
  return found[2] ?? ''
}

const unfit = (kind: string, message: string): StorageError =>
  new StorageError('JournalFailed', message, { details: { kind } })
