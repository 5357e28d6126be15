/** A journal in a PostgreSQL database, for stores that several machines share. @module */
export { openPostgresJournal, type PostgresJournalOptions } from './postgres-journal/open-postgres-journal.ts'
