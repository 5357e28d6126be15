import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Part, PartFiller } from './part-filler.ts'
import { s3Turns } from './s3-turns.ts'

const mebibyte = 1024 * 1024
const { signal } = new AbortController()
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function pattern(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(Math.imul(at, 0x9e3779b1) >>> 0, at)
  return bytes
}

/** Pauses of different lengths, so that parts end in another order than they began. */
const soon = (n: number) => new Promise((resolve) => setTimeout(resolve, (n * 7) % 3))

describe('parts of a blob', () => {
  it('have all bytes in order, in full parts but for the last, whatever the chunks', async () => {
    const partBytes = 2 * mebibyte
    const sizes = fc.array(fc.integer({ min: 0, max: 3 * mebibyte }), { maxLength: 6 })
    const property = fc.asyncProperty(sizes, fc.integer({ min: 1, max: 3 }), async (lengths, partsAtOnce) => {
      const whole = pattern(lengths.reduce((sum, length) => sum + length, 0))
      const parts: Buffer[] = []
      const places = s3Turns(2, 1000, 'buffers')
      const send = async ({ bytes, sha256: digest }: Part): Promise<void> => {
        const n = parts.push(Buffer.alloc(0)) - 1
        await soon(n)
        // The buffer still has the bytes of the part.
        parts[n] = Buffer.from(bytes)
        expect(sha256(bytes)).toBe(digest)
      }
      const filler = new PartFiller({ partBytes, partsAtOnce, places, signal, send })
      let at = 0
      for (const length of lengths) {
        const chunk = Uint8Array.from(whole.subarray(at, at + length))
        await filler.add(chunk)
        chunk.fill(0)
        at += length
      }
      const last = await filler.last()
      expect(last.sha256).toBe(sha256(last.bytes))
      expect(parts.map(({ length }) => length)).toEqual(parts.map(() => partBytes))
      expect(Buffer.compare(Buffer.concat([...parts, last.bytes]), whole)).toBe(0)
      expect(filler.total).toBe(whole.length)
      // A blob of exactly one part, or of several, ends with a part that has bytes.
      if (whole.length > 0) expect(last.bytes.length).toBeGreaterThan(0)
      filler.release()
      expect([places.tryTake(), places.tryTake(), places.tryTake()]).toEqual([true, true, false])
    })
    await fc.assert(property, { numRuns: 25 })
  })

  it('of many writes share few buffers, and none waits for ever', async () => {
    const places = s3Turns(2, 30_000, 'buffers')
    let [sending, most] = [0, 0]
    const send = async (): Promise<void> => {
      most = Math.max(most, ++sending)
      await soon(sending)
      sending--
    }
    const write = async (): Promise<number> => {
      const filler = new PartFiller({ partBytes: 2 * mebibyte, partsAtOnce: 4, places, signal, send })
      for (let n = 0; n < 10; n++) {
        await filler.add(pattern(mebibyte))
        await soon(n)
      }
      await filler.last()
      filler.release()
      return filler.total
    }
    expect(await Promise.all(Array.from({ length: 8 }, write))).toEqual(Array(8).fill(10 * mebibyte))
    expect(most).toBeLessThanOrEqual(2)
    expect([places.tryTake(), places.tryTake(), places.tryTake()]).toEqual([true, true, false])
  })

  it('end the write when one cannot be sent', async () => {
    const failure = new Error('refused')
    const places = s3Turns(1, 1000, 'buffers')
    const filler = new PartFiller({
      partBytes: 2 * mebibyte,
      partsAtOnce: 2,
      places,
      signal,
      send: () => Promise.reject(failure),
    })
    await expect(async () => filler.add(pattern(5 * mebibyte))).rejects.toBe(failure)
    await filler.idle()
    filler.release()
    expect(places.tryTake()).toBe(true)
  })

  it('of short blobs need no place', async () => {
    const places = s3Turns(1, 10, 'buffers')
    await places.take()
    const of = () =>
      new PartFiller({ partBytes: 2 * mebibyte, partsAtOnce: 2, places, signal, send: async () => undefined })
    const short = of()
    await short.add(pattern(mebibyte))
    expect((await short.last()).bytes.length).toBe(mebibyte)
    await expect(async () => of().add(pattern(mebibyte + 1))).rejects.toMatchObject({
      code: 'TooManyOpenFiles',
      details: { kind: 'buffers' },
    })
  })
})
