import { describe, expect, it } from 'vitest'
import { compare } from './compare.ts'

/** The short form: `npm run suite policies` judges a million. */
const count = Number(process.env['POLICY_TRIALS'] ?? 20_000)
const from = Number(process.env['POLICY_FROM'] ?? 1)

describe('random policies and requests', () => {
  it('are judged as AWS documents it', { timeout: 7_200_000 }, async () => {
    const { counts, differences } = await compare(from, count)
    if (count > 100_000) console.log(`${count} trials from ${from}:`, counts)
    for (const { seed, server, expected, request } of differences) {
      console.log(`seed ${seed}: ${request.operation} is ${server}, expected ${expected.join(' or ')}`)
    }
    expect(differences).toEqual([])
    for (const verdict of ['allowed', 'denied', 'absent'] as const)
      expect(counts[verdict]).toBeGreaterThan(count / 1000)
  })
})
