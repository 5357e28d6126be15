import { describe, expect, it } from 'vitest'
import { atLeast } from './minimum-speed.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function* dribble(times: number, size: number, everyMs: number) {
  for (let i = 0; i < times; i++) {
    await pause(everyMs)
    yield new Uint8Array(size)
  }
}

async function sizeOf(source: AsyncIterable<Uint8Array>, workMs = 0): Promise<number> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (workMs > 0) await pause(workMs)
  }
  return size
}

const speed = { bytesPerSecond: 1000, windowMs: 100 }

describe('the minimum speed', () => {
  it('passes what is fast enough, however long it takes', async () => {
    expect(await sizeOf(atLeast(dribble(20, 50, 15), speed))).toBe(1000)
  })

  it('refuses silence', async () => {
    async function* silent() {
      yield new Uint8Array(5)
      await pause(60_000)
    }
    await expect(sizeOf(atLeast(silent(), speed))).rejects.toMatchObject({ code: 'RequestTimeout' })
  })

  it('refuses next to nothing, although something always comes', async () => {
    await expect(sizeOf(atLeast(dribble(1000, 1, 5), speed))).rejects.toMatchObject({ code: 'RequestTimeout' })
  })

  it('does not hold our own slowness against the client', async () => {
    async function* ready() {
      for (let i = 0; i < 6; i++) yield new Uint8Array(1)
    }
    expect(await sizeOf(atLeast(ready(), speed), 50)).toBe(6)
  })

  it('closes the source when left early', async () => {
    let closed = false
    async function* source() {
      try {
        for (;;) yield new Uint8Array(1)
      } finally {
        closed = true
      }
    }
    for await (const _ of atLeast(source(), speed)) break
    await pause(0)
    expect(closed).toBe(true)
  })

  it('passes on what the source throws', async () => {
    async function* broken() {
      yield new Uint8Array(1)
      throw new RangeError('broken')
    }
    await expect(sizeOf(atLeast(broken(), speed))).rejects.toThrow(RangeError)
  })
})
