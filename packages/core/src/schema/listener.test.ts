import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listener } from './listener.ts'
import { checked } from './schema.ts'

const unhandled: unknown[] = []
const onUnhandled = (error: unknown): void => void unhandled.push(error)
beforeAll(() => void process.on('unhandledRejection', onUnhandled))
afterAll(() => void process.off('unhandledRejection', onUnhandled))

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a function that is notified of something', () => {
  it('fails the next call of it if its promise rejects, and no rejection is unhandled', async () => {
    const seen: number[] = []
    const notify = checked('onProgress', listener<(done: number) => unknown>(), async (done: number) => {
      seen.push(done)
      throw new RangeError(`failed at ${done}`)
    })
    notify(1)
    await settled()
    expect(() => notify(2)).toThrow('failed at 1')
    expect([seen, unhandled]).toEqual([[1], []])
  })

  it('may throw at once, and may give anything', () => {
    const thrown = checked('onProgress', listener<() => unknown>(), () => {
      throw new RangeError('at once')
    })
    expect(thrown).toThrow('at once')
    for (const value of [undefined, null, 5, {}, Object.create(null), []]) {
      expect(checked('onProgress', listener<() => unknown>(), () => value)()).toBe(value)
    }
  })

  it.each([5, null, class {}])('is a function: not %s', (value) => {
    expect(() => checked('onProgress', listener(), value)).toThrow('onProgress must be a function')
  })
})
