/**
 * Decompresses one Snappy block (google/snappy, format_description.txt): the length of the result, then pieces that are
 * either literal bytes or copies of earlier output.
 */
import { LevelFormatError, LevelReader } from './level-reader.ts'

/** The most for a block here: LevelDB ends a block at the first row that makes it larger than a few KiB. */
const lengthMax = 256 * 1024 * 1024

/** @throws LevelFormatError for bytes that Snappy did not make. */
export function unsnappy(compressed: Uint8Array): Uint8Array {
  const reader = new LevelReader(compressed)
  const length = reader.number()
  if (length > lengthMax) throw new LevelFormatError('a block in it is too long')
  const whole = new Uint8Array(length)
  let at = 0
  while (!reader.ended) {
    const [tag = 0] = reader.bytes(1)
    const { size, back } = tag % 4 === 0 ? { size: literalSize(tag, reader), back: 0 } : copyOf(tag, reader)
    if (size > length - at || back > at) throw new LevelFormatError('a block in it cannot be decompressed')
    if (back === 0) whole.set(reader.bytes(size), at)
    else for (let i = at; i < at + size; i++) whole[i] = whole[i - back] as number
    at += size
  }
  if (at !== length) throw new LevelFormatError('a block in it cannot be decompressed')
  return whole
}

function literalSize(tag: number, reader: LevelReader): number {
  const short = tag >> 2
  return 1 + (short < 60 ? short : littleEndian(reader.bytes(short - 59)))
}

function copyOf(tag: number, reader: LevelReader): { readonly size: number; readonly back: number } {
  const short = tag % 4 === 1
  const size = short ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
  const back = short
    ? ((tag >> 5) << 8) + littleEndian(reader.bytes(1))
    : littleEndian(reader.bytes(tag % 4 === 2 ? 2 : 4))
  if (back === 0) throw new LevelFormatError('a block in it cannot be decompressed')
  return { size, back }
}

const littleEndian = (bytes: Uint8Array): number => bytes.reduceRight((value, byte) => value * 0x100 + byte, 0)
