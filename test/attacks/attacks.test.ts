/** The attacks in small form: not how long they take, which is the machine's, but what becomes of others, and of memory. */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { measured, sized, report } from '../bounds/support/forms.ts'
import { unmeasurable } from '../bounds/support/process-figures.ts'
import type { Attack } from './attack.ts'
import { drawAttack } from './draw.ts'
import { knownAttacks } from './known.ts'
import { openRange, type Range } from './range.ts'
import { lineOf } from './report.ts'

const draws = sized(15, 1000)
const seed = 15_000
const attackMs = 150
/** MiB over idle. */
const memoryMax = 200

describe('attacks on a server that another client uses', () => {
  let range: Range
  beforeAll(async () => {
    if (unmeasurable !== undefined) return
    range = await openRange()
    await range.settle()
  }, 240_000)
  afterAll(() => range?.close())

  async function bear(attacks: readonly Attack[]): Promise<void> {
    let answered = 0
    for (const attack of attacks) {
      const outcome = await range.attack(attack, attackMs)
      report(lineOf(outcome))
      expect(outcome.probe.failures, `${attack.name}: requests of the other client that failed`).toEqual({})
      expect(Object.keys(outcome.statuses), `${attack.name}: answers`).not.toContain('500')
      expect(outcome.memory, `${attack.name}: memory`).toBeLessThan(memoryMax)
      answered += outcome.probe.requests
    }
    // A slow machine needs longer: how fast the other client is does not matter here.
    for (let rests = 0; rests < 40 && answered <= attacks.length; rests++)
      answered += (await range.rest(500)).probe.requests
    expect(answered, 'requests of the other client').toBeGreaterThan(attacks.length)
  }

  measured('that worked once, by name', () => bear(knownAttacks()))

  const drawn = () => bear(Array.from({ length: draws }, (_, at) => drawAttack(seed + at)))
  measured(`that are drawn from seed ${seed}`, drawn)
})
