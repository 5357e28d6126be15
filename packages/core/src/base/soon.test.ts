import { describe, expect, it } from 'vitest'
import { again, inTurn, repeat, soonOrFailed, whenThere } from './soon.ts'

const later = async <T>(value: T): Promise<T> => value

describe('steps in turn', () => {
  it('are taken at once while none takes time', () => {
    const taken: number[] = []
    expect(inTurn([1, 2, 3].map((step) => () => taken.push(step)))).toBeUndefined()
    expect(taken).toEqual([1, 2, 3])
  })

  it('wait for a step that takes time, and keep their order', async () => {
    const taken: number[] = []
    const step = (number: number) => () => void taken.push(number)
    const taking = inTurn([step(1), () => later(undefined).then(step(2)), step(3), () => later(undefined), step(4)])
    expect(taken).toEqual([1])
    await taking
    expect(taken).toEqual([1, 2, 3, 4])
  })

  it('end with the first that fails', async () => {
    const taken: number[] = []
    const failing = inTurn([() => Promise.reject(new Error('first')), () => taken.push(2)])
    await expect(failing).rejects.toThrow('first')
    expect(taken).toEqual([])
  })
})

it('works with a value at once, or when it comes', async () => {
  expect(whenThere(1, (value) => value + 1)).toBe(2)
  expect(await whenThere(later(1), (value) => value + 1)).toBe(2)
})

it('repeats a step until it has a result', async () => {
  let left = 3
  expect(repeat(() => (left-- > 0 ? again : 'done'))).toBe('done')
  left = 3
  expect(await repeat(() => later(left-- > 0 ? again : 'done'))).toBe('done')
})

it('handles a failure at once or later', async () => {
  const failed = (error: unknown) => String(error)
  expect(
    soonOrFailed(() => {
      throw new Error('now')
    }, failed),
  ).toBe('Error: now')
  expect(await soonOrFailed<string>(() => Promise.reject(new Error('later')), failed)).toBe('Error: later')
})
