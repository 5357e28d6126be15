/** Sends a commit to the database, and reads its answer. */
import { type Commit, type RowChange, StorageError } from '@varve/core'
import { assertHead } from '../journal-kit/expectations.ts'
import { rowName } from '../journal-kit/row-name.ts'
import { byteArray } from './byte-arrays.ts'
import { type PgClient, type PgNotice, rowsOf, type TextRow } from './pg-client.ts'
import { mayBeTriedAgain } from './postgres-failure.ts'

const attempts = 10

/** Resolves when the commit is durable. @throws StorageError `JournalConflict`; any other error leaves the outcome unknown */
export async function writeCommit(
  run: <T>(work: (client: PgClient) => Promise<T>) => Promise<T>,
  text: string,
  { commit, isDurable }: { readonly commit: Commit; readonly isDurable: boolean },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run((client) => sentCommit(client, text, { commit, isDurable }))
    } catch (error) {
      if (!mayBeTriedAgain(error)) throw error
      if (attempt === attempts) {
        throw new StorageError('JournalConflict', 'The database preferred other commits.', { cause: error })
      }
    }
  }
}

/** @throws StorageError `JournalConflict` if the commit was refused */
export async function sentCommit(
  client: PgClient,
  text: string,
  { commit, isDurable }: { readonly commit: Commit; readonly isDurable: boolean },
): Promise<void> {
  const [answer = []] = await replicatedRows(client, text, parametersOf(commit, isDurable))
  assertTaken(commit, answer)
}

/** Resolves when the standbys that the server waits for have what the statement changed. @throws StorageError `JournalFailed` */
export async function replicatedRows(
  client: PgClient,
  text: string,
  values?: readonly unknown[],
): Promise<readonly TextRow[]> {
  let isDoubtful = false
  const onNotice = (notice: PgNotice): void => void (isDoubtful ||= isOfReplication(notice))
  client.on('notice', onNotice)
  try {
    const rows = await rowsOf(client, text, values)
    if (!isDoubtful) return rows
    throw new StorageError('JournalFailed', 'The commit may not have reached the standbys that it waited for.', {
      details: { kind: 'notReplicated' },
    })
  } finally {
    client.removeListener('notice', onNotice)
  }
}

/** The wait for synchronous standbys was cancelled: the commit is there, but a failover may lose it. */
const isOfReplication = ({ routine, code }: PgNotice): boolean =>
  routine === 'SyncRepWaitForLSN' || (routine === undefined && code === '01000')

/** @throws StorageError `JournalConflict` */
function assertTaken(commit: Commit, [refused, at, wrong]: TextRow): void {
  if (refused === 'f') return
  if (typeof at === 'string') assertHead(commit, Number(at))
  throw new StorageError('JournalConflict', 'A row is not as expected.', { details: { key: wrong ?? '' } })
}

function parametersOf({ expectedHead, expectedRows = [], events, rows }: Commit, isDurable: boolean): unknown[] {
  // The last change of a row wins.
  const changes = new Map(rows.map((row) => [rowName(row.key), row]))
  const kept: RowChange[] = []
  const replaced: RowChange[] = []
  for (const row of expectedRows) (changes.has(rowName(row.key)) ? replaced : kept).push(row)
  const put: RowChange[] = []
  const removed: Uint8Array[] = []
  for (const row of changes.values()) {
    if (row.value === null) removed.push(row.key)
    else put.push(row)
  }
  return [
    expectedHead ?? null,
    byteArray(events),
    ...columns(kept),
    ...columns(replaced),
    ...columns(put),
    byteArray(removed),
    expectedRows.some(({ value }) => value === null),
    isDurable,
  ]
}

const columns = (rows: readonly RowChange[]): readonly Buffer[] => [
  byteArray(rows.map(({ key }) => key)),
  byteArray(rows.map(({ value }) => value)),
]
