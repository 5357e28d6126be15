import { describe, expect, it } from 'vitest'
import { RunBuffers } from './run-buffers.ts'

const runBytes = 2 ** 20

describe('runs that are looked at and forgotten', () => {
  it('are held by four at once: each other waits for the end of one', async () => {
    const buffers = new RunBuffers()
    let [held, most] = [0, 0]
    const ends: (() => void)[] = []
    const looks = Array.from({ length: 100 }, () =>
      buffers.during(runBytes, async () => {
        most = Math.max(most, ++held)
        await new Promise<void>((resolve) => ends.push(resolve))
        held--
      }),
    )
    for (let at = 0; at < 100; at++) {
      await new Promise(setImmediate)
      ends[at]?.()
    }
    await Promise.all(looks)
    expect(most).toBe(4)
  })

  it('give their place back when a look fails', async () => {
    const buffers = new RunBuffers()
    const failed = Array.from({ length: 40 }, () => buffers.during(runBytes, () => Promise.reject(new Error('torn'))))
    expect((await Promise.allSettled(failed)).every(({ status }) => status === 'rejected')).toBe(true)
    expect(await buffers.during(runBytes, async (bytes) => bytes.length)).toBe(runBytes)
  })
})
