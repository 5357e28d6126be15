import { describe, expect, it } from 'vitest'
import { openPostgresJournal, type PostgresJournalOptions } from './open-postgres-journal.ts'

const wrong: Readonly<Record<keyof PostgresJournalOptions, readonly unknown[]>> = {
  connectionString: [1, {}, null],
  connection: ['host', 1, null],
  schema: [1, {}, null],
  create: ['no', 0, null],
  connections: [0, -1, 1.5, '4', null],
  snapshots: [0, Number.NaN, '8', null],
  waitMs: [0, Number.POSITIVE_INFINITY, '1', null],
  allowLoss: ['yes', 1, null],
}

describe('a journal in PostgreSQL', () => {
  it.each(Object.entries(wrong))('refuses %s of a wrong type before it connects', async (name, values) => {
    for (const value of values) {
      const opening = openPostgresJournal({ [name]: value } as PostgresJournalOptions)
      const details = { ArgumentName: `options.${name}` }
      await expect(opening).rejects.toMatchObject({ code: 'InvalidArgument', details })
    }
  })

  it.each([[null], ['postgres://host'], [[]], [{ conections: 4 }]])('refuses %j in place of options', async (given) => {
    const opening = openPostgresJournal(given as unknown as PostgresJournalOptions)
    await expect(opening).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
