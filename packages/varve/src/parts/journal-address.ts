/**
 * The address of a journal that engines on several machines share: `postgres://USER@HOST/DATABASE?schema=NAME`. `connections` and `snapshots` are
 * options of the journal too.
 */
import type { PostgresAddress, PostgresJournal, PostgresJournalOptions } from '@varve/adapters/postgres'
import { invalidAddress } from '../addresses/invalid-address.ts'

/** A journal that servers share. */
export type JournalThere = PostgresJournal

export type JournalOpening = Pick<PostgresJournalOptions, 'create' | 'readOnly' | 'partEvents'>

/** Opens what the address names, when it is called. @throws StorageError `InvalidArgument` as `postgresAt` */
export function journalAt(address: string, opening: JournalOpening = {}): () => Promise<JournalThere> {
  const there = postgresAt(address)
  return async () => {
    const { openPostgresJournal } = await import('@varve/adapters/postgres')
    return openPostgresJournal({ ...there, ...opening })
  }
}

/**
 * What the address means. All other parameters of the address are those of PostgreSQL.
 * @throws StorageError `InvalidArgument` for another address, and for one with a password: other users of the machine
 * see the arguments of a process
 */
function postgresAt(address: string): PostgresAddress & Pick<PostgresJournalOptions, 'connections' | 'snapshots'> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw invalidAddress('journal', 'The address of a journal is postgres://USER@HOST/DATABASE.')
  if (url.password !== '' || url.searchParams.has('password'))
    throw invalidAddress(
      'journal',
      'The address of a journal must not have the password: set PGPASSWORD, or PGPASSFILE.',
    )
  const take = (name: string): string | undefined => {
    const value = url.searchParams.get(name) ?? undefined
    url.searchParams.delete(name)
    return value
  }
  const schema = take('schema')
  const counts: { connections?: number; snapshots?: number } = {}
  for (const name of ['connections', 'snapshots'] as const) {
    const value = take(name)
    if (value !== undefined) counts[name] = countIn(name, value)
  }
  return { connectionString: url.href, ...(schema !== undefined && { schema }), ...counts }
}

function countIn(name: string, value: string): number {
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value)
  throw invalidAddress('journal', `The parameter ${name} of an address of a journal is a number from 1 to 99999.`)
}
