/** A journal in a PostgreSQL database, for stores that several machines share. @module */
export { openPostgresJournal, type PostgresJournalOptions } from './postgres-journal/open-postgres-journal.ts'
export type { PostgresJournal } from './postgres-journal/postgres-journal.ts'
