import { StorageError } from '@varve/core'
import type { PostgresJournal } from './postgres-journal.ts'

/** The same journal, for a role that may only read. */
export const readOnlyJournal = (journal: PostgresJournal): PostgresJournal =>
  Object.assign(journal, {
    commit: () => Promise.reject(new StorageError('ReadOnly', 'The journal is open to be read alone.')),
    hold: undefined,
  })
