import { describe, expect, it } from 'vitest'
import { SpeedWatch } from './minimum-speed.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function* dribble(times: number, size: number, everyMs: number) {
  for (let i = 0; i < times; i++) {
    await pause(everyMs)
    yield new Uint8Array(size)
  }
}

/** Takes all of a source under watch. */
async function sizeOf(source: AsyncIterator<Uint8Array>, workMs = 0, windowMs = 100): Promise<number> {
  const watch = new SpeedWatch({ bytesPerSecond: 1000, windowMs })
  for (let size = 0; ; ) {
    const next = source.next()
    await watch.wait(next.then(() => undefined))
    const { value, done } = await next
    if (done === true) return size
    watch.received(value.length)
    size += value.length
    if (workMs > 0) await pause(workMs)
  }
}

describe('the minimum speed', () => {
  it('passes what is fast enough, however long it takes', async () => {
    // Twice as fast as it must be, over windows that a busy machine does not miss.
    expect(await sizeOf(dribble(30, 200, 50), 0, 500)).toBe(6000)
  })

  it('refuses silence', async () => {
    async function* silent() {
      yield new Uint8Array(5)
      await pause(60_000)
    }
    await expect(sizeOf(silent())).rejects.toMatchObject({ code: 'RequestTimeout' })
  })

  it('refuses next to nothing, although something always comes', async () => {
    await expect(sizeOf(dribble(1000, 1, 5))).rejects.toMatchObject({ code: 'RequestTimeout' })
  })

  it('does not hold our own slowness against the client', async () => {
    async function* ready() {
      for (let i = 0; i < 6; i++) yield new Uint8Array(1)
    }
    expect(await sizeOf(ready(), 50)).toBe(6)
  })
})
