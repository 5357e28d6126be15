import { describe, expect, it } from 'vitest'
import { sealText } from '../bytes/frame.ts'
import type { Row } from '../ports/index.ts'
import { hashing } from '../api/memory-ports.fixture.ts'
import { decodeRow, decodeRows, rowEncoder } from './row-codec.ts'
import type { PartRow } from './rows.ts'
import { partTable } from './tables.ts'

const part = (number: number): PartRow => ({
  seq: number,
  at: number,
  size: number,
  etag: 'é"\\,[]{}\u{10FFFF}'.repeat(number % 7),
  content: { kind: 'empty' },
})
const keyOf = (number: number): Uint8Array => partTable.key(1, number).bytes
const numbers = Array.from({ length: 50 }, (_, i) => i)

function stored(): Row[] {
  const encode = rowEncoder(hashing)
  return numbers.map((number) => [keyOf(number), encode(keyOf(number), part(number))])
}

/** A row that another program made, with its checksum. */
const forged = (number: number, text: string): Row => [keyOf(number), sealText(hashing, keyOf(number), text)]

describe('rows decoded together', () => {
  it('are what each is by itself', () => {
    const rows = stored()
    expect(decodeRows(hashing, rows)).toEqual(numbers.map(part))
    expect(decodeRows(hashing, rows)).toEqual(rows.map(([key, frame]) => decodeRow(hashing, key, frame)))
    expect(decodeRows(hashing, rows.slice(0, 1))).toEqual([part(0)])
    expect(decodeRows(hashing, [])).toEqual([])
  })

  it('are refused with a bit flipped in any of them, which is named', () => {
    for (const number of [0, 7, 49]) {
      const rows = stored()
      const [key, frame] = rows[number] as Row
      const damaged = Uint8Array.from(frame)
      damaged[number] = (damaged[number] as number) ^ 1
      rows[number] = [key, damaged]
      expect(() => decodeRows(hashing, rows)).toThrow(refusal(number, 'checksum'))
    }
  })

  const whole = JSON.stringify(part(1))
  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '7'],
    ['not a row of its table', '{"seq":1}'],
    ['two rows', `${whole},${whole}`],
    ['more than a row', `${whole}]`],
  ])('are refused if one of them is %s under a right checksum', (_, text) => {
    const rows = stored()
    rows[7] = forged(7, text)
    expect(() => decodeRows(hashing, rows)).toThrow(refusal(7, 'payload'))
  })

  it('are refused if one of them ends in the middle of a character', () => {
    const rows = stored()
    const payload = Uint8Array.of(0x22, 0xc3)
    const [key] = rows[7] as Row
    const frame = Uint8Array.of(0, 0, 0, 0, 1, ...payload)
    new DataView(frame.buffer).setUint32(0, hashing.crc32(frame.subarray(4), hashing.crc32(key)))
    rows[7] = [key, frame]
    expect(() => decodeRows(hashing, rows)).toThrow(refusal(7, 'payload'))
  })
})

const refusal = (number: number, kind: string): unknown =>
  expect.objectContaining({
    code: 'RowCorrupt',
    details: { key: Buffer.from(keyOf(number)).toString('hex'), kind },
  })
