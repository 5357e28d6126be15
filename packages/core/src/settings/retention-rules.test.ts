import { describe, expect, it } from 'vitest'
import type { ObjectLockConfiguration, Retention, RetentionMode } from './object-lock.ts'
import {
  checkObjectLockConfiguration,
  checkRemovable,
  checkRetention,
  checkRetentionChange,
  defaultRetention,
} from './retention-rules.ts'

const now = Date.UTC(2026, 1, 28, 12)
const day = 24 * 60 * 60 * 1000
const until = (mode: RetentionMode, days: number): Retention => ({ mode, until: now + days * day })
const denied = expect.objectContaining({
  code: 'AccessDenied',
  message: 'Access Denied because object protected by object lock.',
})

describe('the default retention of a bucket', () => {
  it('counts days and years of the calendar from when a version is made', () => {
    expect(defaultRetention({ default: { mode: 'GOVERNANCE', days: 2 } }, now)).toEqual(until('GOVERNANCE', 2))
    const inYears = defaultRetention({ default: { mode: 'COMPLIANCE', years: 2 } }, now)
    expect(inYears).toEqual({ mode: 'COMPLIANCE', until: Date.UTC(2028, 1, 28, 12) })
    expect(defaultRetention({}, now)).toBeUndefined()
  })

  it.each([0, -1, 1.5, Number.NaN, 36_501])('is not %d days', (days) => {
    const configuration: ObjectLockConfiguration = { default: { mode: 'GOVERNANCE', days } }
    expect(() => checkObjectLockConfiguration(configuration)).toThrow(
      expect.objectContaining({ code: 'InvalidRetentionPeriod' }),
    )
  })

  it.each([0, -1, 101])('is not %d years', (years) => {
    const configuration: ObjectLockConfiguration = { default: { mode: 'COMPLIANCE', years } }
    expect(() => checkObjectLockConfiguration(configuration)).toThrow(
      expect.objectContaining({ code: 'InvalidRetentionPeriod' }),
    )
  })

  it('may be none, a day, or a century', () => {
    for (const configuration of [
      {},
      { default: { mode: 'GOVERNANCE', days: 1 } },
      { default: { mode: 'GOVERNANCE', years: 100 } },
    ] as const) {
      expect(() => checkObjectLockConfiguration(configuration)).not.toThrow()
    }
  })
})

describe('a retention', () => {
  it('ends in the future', () => {
    expect(() => checkRetention(until('GOVERNANCE', 1), now)).not.toThrow()
    for (const past of [now, now - 1, Number.NaN, -1e20, Number.POSITIVE_INFINITY]) {
      expect(() => checkRetention({ mode: 'GOVERNANCE', until: past }, now)).toThrow(
        expect.objectContaining({ code: 'InvalidArgument', message: 'The retain until date must be in the future!' }),
      )
    }
  })

  // From, to, and the callers that may: all, those that bypass GOVERNANCE, none.
  const changes: readonly (readonly [Retention | undefined, Retention | undefined, 'all' | 'bypass' | 'none'])[] = [
    [undefined, until('GOVERNANCE', 1), 'all'],
    [until('COMPLIANCE', -1), undefined, 'all'],
    [until('COMPLIANCE', 0), until('GOVERNANCE', 1), 'all'],
    [until('GOVERNANCE', 2), until('GOVERNANCE', 2), 'all'],
    [until('GOVERNANCE', 2), until('GOVERNANCE', 3), 'all'],
    [until('GOVERNANCE', 2), until('GOVERNANCE', 1), 'bypass'],
    [until('GOVERNANCE', 2), until('COMPLIANCE', 3), 'bypass'],
    [until('GOVERNANCE', 2), undefined, 'bypass'],
    [until('COMPLIANCE', 2), until('COMPLIANCE', 3), 'all'],
    [until('COMPLIANCE', 2), until('COMPLIANCE', 1), 'none'],
    [until('COMPLIANCE', 2), until('GOVERNANCE', 3), 'none'],
    [until('COMPLIANCE', 2), undefined, 'none'],
  ]

  it.each(changes)('changes from %j to %j for: %s', (from, to, who) => {
    const change = (bypassGovernance: boolean) => () => checkRetentionChange(from, to, { bypassGovernance, locks: now })
    if (who === 'all') expect(change(false)).not.toThrow()
    else expect(change(false)).toThrow(denied)
    if (who === 'none') expect(change(true)).toThrow(denied)
    else expect(change(true)).not.toThrow()
  })
})

describe('the removal of a version', () => {
  const held: readonly (readonly [Parameters<typeof checkRemovable>[0], 'all' | 'bypass' | 'none'])[] = [
    [{}, 'all'],
    [{ legalHold: 'OFF' }, 'all'],
    [{ legalHold: 'ON' }, 'none'],
    [{ retention: until('GOVERNANCE', 1) }, 'bypass'],
    [{ retention: until('GOVERNANCE', 1), legalHold: 'ON' }, 'none'],
    [{ retention: until('COMPLIANCE', 1) }, 'none'],
    [{ retention: until('COMPLIANCE', 0), legalHold: 'OFF' }, 'all'],
    [{ retention: until('COMPLIANCE', -1), legalHold: 'ON' }, 'none'],
  ]

  it.each(held)('of which %j holds is for: %s', (annotations, who) => {
    const remove = (bypassGovernance: boolean) => () => checkRemovable(annotations, { bypassGovernance, locks: now })
    if (who === 'all') expect(remove(false)).not.toThrow()
    else expect(remove(false)).toThrow(denied)
    if (who === 'none') expect(remove(true)).toThrow(denied)
    else expect(remove(true)).not.toThrow()
  })
})
