import { afterEach, expect, it, vi } from 'vitest'
import { restAfterFailures } from './rest-after-failures.ts'

afterEach(() => void vi.restoreAllMocks())

it('rests after a long attempt that did not succeed, and only then', async () => {
  let now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const attempt = { took: 0, succeeds: false, count: 0 }
  const tried = restAfterFailures(async () => {
    attempt.count++
    now += attempt.took
    return attempt.succeeds
  })
  attempt.took = 100
  expect([await tried(), await tried(), attempt.count]).toEqual([false, false, 2])
  Object.assign(attempt, { took: 2000, succeeds: true })
  expect([await tried(), await tried(), attempt.count]).toEqual([true, true, 4])
  attempt.succeeds = false
  expect([await tried(), attempt.count]).toEqual([false, 5])
  attempt.succeeds = true
  expect([await tried(), attempt.count]).toEqual([false, 5])
  now += 37_999
  expect([await tried(), attempt.count]).toEqual([false, 5])
  now += 1
  expect([await tried(), attempt.count]).toEqual([true, 6])
})
