import { describe, expect, it } from 'vitest'
import { judgements, passed } from './versitygw.ts'

describe('the judgement of versitygw’s suite', () => {
  it('is of every test that does not pass', () => {
    expect(passed + judgements.reduce((sum, { tests }) => sum + tests, 0)).toBe(837)
  })

  it('gives a reason, with examples', () => {
    for (const { tests, names, reason } of judgements) {
      expect(tests).toBeGreaterThan(0)
      expect(names.length).toBeGreaterThan(0)
      expect(reason).toMatch(/^[A-Z`v].*\.$/)
    }
  })
})
