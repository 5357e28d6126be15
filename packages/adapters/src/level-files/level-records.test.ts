import { describe, expect, it } from 'vitest'
import { levelRecords } from './level-records.ts'
import { type MaskedCrc, maskedCrc } from './masked-crc.ts'

const crcOf: MaskedCrc = await maskedCrc()
const blockLength = 32 * 1024

/** As LevelDB writes them: what does not fit into a block goes on in the next. */
function logOf(bodies: readonly Uint8Array[]): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  const add = (bytes: Buffer) => {
    pieces.push(bytes)
    at += bytes.length
  }
  for (const body of bodies) {
    let from = 0
    do {
      const left = blockLength - (at % blockLength)
      if (left < 7) add(Buffer.alloc(left))
      const room = blockLength - (at % blockLength) - 7
      const size = Math.min(room, body.length - from)
      const [first, last] = [from === 0, from + size === body.length]
      const fragment = Buffer.alloc(7 + size)
      fragment.writeUInt16LE(size, 4)
      fragment[6] = first ? (last ? 1 : 2) : last ? 4 : 3
      fragment.set(body.subarray(from, from + size), 7)
      fragment.writeUInt32LE(crcOf(fragment.subarray(6)), 0)
      add(fragment)
      from += size
    } while (from < body.length)
  }
  return Buffer.concat(pieces)
}

const bodies = [10, 0, blockLength - 7 - 17 - 7 - 3, 100_000, blockLength - 7, 1].map((length, i) =>
  new Uint8Array(length).fill(i + 1),
)
/** As text: arrays this long are slow to compare. */
const records = bodies.map((bytes) => Buffer.from(bytes).toString('latin1'))
const read = (log: Uint8Array) => [...levelRecords(log, crcOf)].map((bytes) => Buffer.from(bytes).toString('latin1'))

describe('the records of a log of LevelDB', () => {
  it('are read back, also those that lie across blocks', () => {
    expect(read(logOf(bodies))).toEqual(records)
  })

  it('end where the log is torn', () => {
    const log = logOf(bodies)
    for (const cut of [0, 6, 7, 16, 17, 24, 25, blockLength, 90_000, log.length - 1]) {
      const left = read(log.subarray(0, cut))
      expect(left).toEqual(records.slice(0, left.length))
      expect(left.length).toBeLessThan(records.length)
    }
  })

  it('end where a bit is turned', () => {
    const log = logOf(bodies)
    log[60_000] = (log[60_000] as number) ^ 4
    expect(read(log)).toEqual(records.slice(0, 3))
  })

  it('are none in anything else', () => {
    expect(read(new Uint8Array(100_000))).toEqual([])
    expect(read(new Uint8Array(100_000).fill(1))).toEqual([])
  })
})
