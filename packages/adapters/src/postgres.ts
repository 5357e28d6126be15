/** A journal in a PostgreSQL database, for stores that several machines share. @module */
export { journalRoles, type JournalRoles } from './postgres-journal/journal-roles.ts'
export { openPostgresJournal } from './postgres-journal/open-postgres-journal.ts'
export type { PostgresJournal } from './postgres-journal/postgres-journal.ts'
export type {
  PostgresAddress,
  PostgresJournalOptions,
} from './postgres-journal/postgres-options.ts'
