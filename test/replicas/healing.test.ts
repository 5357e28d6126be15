/** VARVE_HEALED sets how many stores are damaged (`npm run suite healed`). */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allBugs } from '../planting/planting.ts'
import { healingBugs } from './healing-bugs.ts'
import { huntHealing, type huntHealing as Hunter } from './hunt-healing.ts'

const rounds = Number(process.env['VARVE_HEALED'] ?? 100)
const first = allBugs.length - healingBugs.length

describe('a damaged store in memory with copies, of which some are damaged', () => {
  it(
    'never serves or stores wrong bytes, and has all that a copy has',
    async () => {
      const { failure, healed } = await huntHealing(rounds)
      expect(failure).toBeUndefined()
      expect(healed).toBeGreaterThan(rounds)
    },
    60_000 + rounds * 200,
  )
})

describe('damaged stores find', () => {
  for (const [number, { name }] of healingBugs.entries()) {
    it(name, async () => {
      const planted = `${fileURLToPath(new URL('hunt-healing.ts', import.meta.url))}?planted=${first + number}`
      const hunt = (await import(/* @vite-ignore */ planted)) as { readonly huntHealing: typeof Hunter }
      const { failure, rounds: needed } = await hunt.huntHealing(1000)
      expect(failure, `survived ${needed} rounds`).toBeDefined()
    }, 120_000)
  }
})
