import { describe, expect, it, vi } from 'vitest'
import { turn } from '../turns/turn.ts'
import { parseBucketPolicy } from './bucket-policy.ts'
import { evaluatePolicy } from './evaluate.ts'

/** As many steps as all evaluations together took. */
function stepsOf(act: () => void): number {
  const spend = vi.spyOn(turn, 'spend')
  act()
  const steps = spend.mock.calls.reduce((sum, [count]) => sum + count, 0)
  spend.mockRestore()
  return steps
}

const policyOf = (patterns: readonly string[], more: object = {}) =>
  parseBucketPolicy(
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: '*',
          Action: 's3:DeleteObject',
          Resource: patterns.map((pattern) => `arn:aws:s3:::b/${pattern}`),
          ...more,
        },
      ],
    }),
    'b',
  )

const keys = Array.from({ length: 100 }, (_, at) => `${'a'.repeat(1018)}${at}`)

function judgeAll(policy: ReturnType<typeof policyOf>, requestValues?: Record<string, readonly string[]>): number {
  return stepsOf(() => {
    for (const key of keys) {
      const resource = { bucket: 'b', key }
      evaluatePolicy(policy, {
        action: 's3:DeleteObject',
        resource,
        ...(requestValues && { keys: (name) => requestValues[name] }),
      })
    }
  })
}

describe('many keys against a policy', () => {
  it.each([
    ['36 long patterns', Array.from({ length: 36 }, (_, at) => `${'*a'.repeat(200 + at)}b*c`), 36],
    ['36 long pieces', Array.from({ length: 36 }, (_, at) => `*${'a'.repeat(500 + at)}b*`), 36],
    ['36 long pieces that end alike', Array.from({ length: 36 }, (_, at) => `*b${'a'.repeat(500 + at)}*`), 36],
    ['1,000 short patterns', Array.from({ length: 1000 }, (_, at) => `*z${at}*`), 1000],
  ])('takes a few steps for each character and pattern: %s', (_, patterns, count) => {
    expect(judgeAll(policyOf(patterns))).toBeLessThan(keys.length * 1024 * count * 4)
  })

  it('takes a few for 32 characters of a pattern where it has question marks', () => {
    const patterns = Array.from({ length: 36 }, (_, at) => `*${'a?'.repeat(250 + at)}b*`)
    expect(judgeAll(policyOf(patterns))).toBeLessThan(keys.length * 1024 * 36 * (550 / 32 + 4))
  })

  it('evaluate once a condition that is the same for each of them', () => {
    const values = Array.from({ length: 500 }, (_, at) => `*x${at}*`)
    const condition = { Condition: { StringLike: { 'aws:Referer': [...values, 'http://*'] } } }
    const requestValues = { 'aws:referer': [`http://${'y'.repeat(8000)}`] }
    expect(judgeAll(policyOf(['*'], condition), requestValues)).toBeLessThan(keys.length * 10 + 500 * 8007 * 4)
  })
})
