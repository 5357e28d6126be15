/**
 * The whole API of a store, called with values of wrong types. `npm run test:calls` makes a million calls; without being asked
 * for more it makes a few thousand, others each time the seed is another.
 */
import { memoryStore } from 'varve'
import { describe, expect, it } from 'vitest'
import { type Entries, entries } from './entries.ts'
import { areaOf, type CallCounts, round } from './run-calls.ts'

const calls = Number(process.env['VARVE_CALLS'] ?? 6000)
const firstSeed = Number(process.env['VARVE_SEED'] ?? 1)
const callsPerRound = 2000
const rounds = Math.ceil(calls / callsPerRound)

/** Methods of an object, its own and those of its class. */
function methodsOf(object: object): string[] {
  const names = new Set<string>()
  for (let one: object | null = object; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
    }
  }
  return [...names].sort()
}

describe('the API of a store', () => {
  it('has an entry for each of its methods', async () => {
    const store = await memoryStore()
    for (const area of Object.keys(entries) as (keyof Entries)[]) {
      const known = Object.keys(entries[area])
      const missing = methodsOf(areaOf(store, area)).filter((name) => !known.includes(name))
      expect(missing, area).toEqual(area === 'store' ? ['close'] : [])
    }
    await store.close()
  })

  it(
    `refuses with a code, or does, what it is called with: ${calls} calls from seed ${firstSeed}`,
    async () => {
      const counts: CallCounts = { calls: 0, refused: 0, callersErrors: 0, answered: 0 }
      for (let i = 0; i < rounds; i++) await round(firstSeed + i, callsPerRound, counts, i % 10 === 1)
      if (calls > 10_000) console.log(JSON.stringify(counts))
      expect(counts.refused).toBeGreaterThan(counts.calls / 10)
      expect(counts.answered).toBeGreaterThan(counts.calls / 10)
    },
    Math.max(60_000, calls * 20),
  )
})
