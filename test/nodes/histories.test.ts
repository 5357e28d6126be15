/** The short form of `npm run suite node-histories`. */
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { describe, expect, it } from 'vitest'
import { tryNodeHistory } from './node-histories.ts'
import { startNodes } from './node-set.ts'

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing that nodes could share.
describe.skipIf(noPostgres !== undefined)('clients of several servers see one thing after the other', () => {
  it('through three of them', async () => {
    const set = await startNodes({ nodes: 3 })
    try {
      const { verdict, overlapping, history } = await tryNodeHistory(set, { seed: 1, operations: 200 })
      expect(verdict).toBeUndefined()
      expect(overlapping).toBeGreaterThan(0)
      expect(history.listings.length).toBeGreaterThan(0)
    } finally {
      await set.close()
    }
  }, 300_000)
})
