/** The short form of `npm run suite node-histories`. */
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { describe, expect, it } from 'vitest'
import { tryNodeHistory } from './node-histories.ts'
import { startNodes } from './node-set.ts'

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing that nodes could share.
describe.skipIf(noPostgres !== undefined)('clients of several servers see one thing after the other', () => {
  it.each([2, 3])(
    'through %i of them',
    async (nodes) => {
      const set = await startNodes({ nodes })
      try {
        for (const seed of [1, 2]) {
          const { verdict, overlapping, history } = await tryNodeHistory(set, { seed, operations: 200 })
          expect(verdict, `seed ${seed}`).toBeUndefined()
          expect(overlapping).toBeGreaterThan(0)
          expect(history.listings.length).toBeGreaterThan(0)
        }
      } finally {
        await set.close()
      }
    },
    120_000,
  )
})
