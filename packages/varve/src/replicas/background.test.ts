import { describe, expect, it } from 'vitest'
import { Background } from './background.ts'

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('work in the background', () => {
  it('runs once at a time, and again when it is begun after its end', async () => {
    const ends: (() => void)[] = []
    const work = new Background(() => new Promise((resolve) => ends.push(resolve)))
    work.begin()
    work.begin()
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await soon()
    work.begin()
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await work.end()
  })

  it('keeps its first failure for the caller that asks', async () => {
    let failures = 0
    const work = new Background(() => Promise.reject(new Error(`failure ${++failures}`)))
    for (let n = 0; n < 2; n++) {
      work.begin()
      await soon()
    }
    expect(() => work.assertSound()).toThrow('failure 1')
    await work.end()
  })

  it('is interrupted by its end, which waits for it and is no failure', async () => {
    let hasEnded = false
    const work = new Background(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      hasEnded = true
      signal.throwIfAborted()
    })
    work.begin()
    await work.end()
    expect(hasEnded).toBe(true)
    work.assertSound()
  })
})
