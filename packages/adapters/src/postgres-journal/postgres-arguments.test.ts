import { describe, expect, it } from 'vitest'
import { type JournalRoles, journalRoles } from './journal-roles.ts'
import { openPostgresJournal } from './open-postgres-journal.ts'
import type { PostgresJournalOptions } from './postgres-options.ts'

const wrong: Readonly<Record<keyof PostgresJournalOptions, readonly unknown[]>> = {
  connectionString: [1, {}, null],
  connection: ['host', 1, null],
  schema: [1, {}, null],
  partEvents: [0, 999, 1.5, '1000', null],
  create: ['no', 0, null],
  readOnly: ['yes', 1, null],
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

  it('refuses options of roles of a wrong type', async () => {
    const roles = { owner: 'boss', node: 'node' }
    const wrong = [
      null,
      {},
      { owner: 'boss' },
      { ...roles, node: 'boss' },
      { ...roles, reader: "a'b" },
      { ...roles, more: 1 },
    ]
    for (const given of [
      ...wrong,
      { ...roles, schema: 'a"b' },
      { ...roles, owner: 'pg_monitor' },
      { ...roles, node: '' },
    ])
      expect(() => journalRoles(given as unknown as JournalRoles)).toThrow(
        expect.objectContaining({ code: 'InvalidArgument' }),
      )
  })

  it.each([[null], ['postgres://host'], [[]], [{ conections: 4 }]])('refuses %j in place of options', async (given) => {
    const opening = openPostgresJournal(given as unknown as PostgresJournalOptions)
    await expect(opening).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
