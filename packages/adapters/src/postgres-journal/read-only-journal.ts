import { StorageError } from '@varve/core'
import type { PostgresJournal } from './postgres-journal.ts'

/** The same journal, for a role that may only read. */
export function readOnlyJournal({ hold: _, ...journal }: PostgresJournal): PostgresJournal {
  return Object.assign(journal, {
    commit: () => Promise.reject(new StorageError('ReadOnly', 'The journal is open to be read alone.')),
  })
}
