/**
 * Leaves nothing of short values in a record. The checksum of the record is in its header, and the next record has the link to that
 * header, so both must stay as they are: four bytes of a value are chosen so that the checksum of the rest comes out the same.
 */
import { crc32 } from 'node:zlib'
import { type StoredRow } from './record-body.ts'
import { type RecordHeader, recordHeaderLength } from './record-header.ts'

const patchLength = 4

/** Whether nothing is left of a value: at most its last bytes are not zero. */
export const isCleared = (value: Uint8Array): boolean =>
  value.length >= patchLength && value.subarray(0, -patchLength).every((byte) => byte === 0)

/**
 * `bytes`: the record before its long values, which is changed in place. False, and nothing is changed, if all the values are shorter
 * than the four bytes; those of an engine are not.
 */
export function clearValues(bytes: Buffer, { bodyCrc }: RecordHeader, rows: readonly StoredRow[]): boolean {
  const values = rows.flatMap(({ shortAt, found }) =>
    shortAt !== undefined && found instanceof Uint8Array ? bytes.subarray(shortAt, shortAt + found.length) : [],
  )
  if (values.length === 0) return true
  const patched = values.find(({ length }) => length >= patchLength)
  if (patched === undefined) return false
  for (const value of values) value.fill(0)
  const at = patched.byteOffset - bytes.byteOffset + patched.length - patchLength
  bytes.writeUInt32BE(patchFor(bytes, at, bodyCrc), at)
  return true
}

interface Effect {
  readonly crc: number
  readonly patch: number
}

/** Each bit of the patch changes the same bits of the checksum, whatever else the record has: this solves for the bits. */
function patchFor(bytes: Buffer, at: number, wanted: number): number {
  const before = crc32(bytes.subarray(recordHeaderLength, at))
  const crcWith = (patch: number): number => {
    bytes.writeUInt32BE(patch, at)
    return crc32(bytes.subarray(at), before)
  }
  const plain = crcWith(0)
  const byHighestBit = new Map<number, Effect>()
  const reduced = (effect: Effect): Effect => {
    let { crc, patch } = effect
    for (
      let known = byHighestBit.get(Math.clz32(crc));
      known !== undefined;
      known = byHighestBit.get(Math.clz32(crc))
    ) {
      crc ^= known.crc
      patch ^= known.patch
    }
    return { crc, patch }
  }
  for (let bit = 0; bit < 8 * patchLength; bit++) {
    const patch = (1 << bit) >>> 0
    const effect = reduced({ crc: crcWith(patch) ^ plain, patch })
    byHighestBit.set(Math.clz32(effect.crc), effect)
  }
  return reduced({ crc: wanted ^ plain, patch: 0 }).patch >>> 0
}
