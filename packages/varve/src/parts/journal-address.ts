/** The address of a journal that engines on several machines share: `postgres://USER@HOST/DATABASE?schema=NAME`. */
import type { PostgresJournal } from '@varve/adapters/postgres'
import { invalidAddress } from './invalid-address.ts'

/** A journal that servers share. */
export type JournalThere = PostgresJournal

export interface JournalOpening {
  /** Make a journal if there is none. @default true */
  readonly create?: boolean
}

/**
 * Opens what the address names, when it is called. Parameters of the address besides `schema` are those of PostgreSQL.
 * @throws StorageError `InvalidArgument` for another address, and for one with a password: other users of the machine
 * see the arguments of a process
 */
export function journalAt(address: string, { create = true }: JournalOpening = {}): () => Promise<JournalThere> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw invalidAddress('journal', 'The address of a journal is postgres://USER@HOST/DATABASE.')
  if (url.password !== '' || url.searchParams.has('password'))
    throw invalidAddress(
      'journal',
      'The address of a journal must not have the password: set PGPASSWORD, or PGPASSFILE.',
    )
  const schema = url.searchParams.get('schema') ?? undefined
  url.searchParams.delete('schema')
  return async () => {
    const { openPostgresJournal } = await import('@varve/adapters/postgres')
    return openPostgresJournal({ connectionString: url.href, create, ...(schema !== undefined && { schema }) })
  }
}
