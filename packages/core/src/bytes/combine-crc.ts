/**
 * Computes the CRC of joined pieces from the CRCs of the pieces, without reading the bytes again.
 *
 * A CRC is a polynomial over GF(2), modulo a fixed one: appending n zero bytes multiplies it by x to the power of 8n.
 * That factor is computed by squaring (as in zlib's crc32_combine). The last factor is kept, since most parts have one
 * length.
 */
import type { ChecksumAlgorithm } from '../ports/index.ts'

/** The checksums whose pieces can be joined. */
export type CombinableAlgorithm = Extract<ChecksumAlgorithm, `CRC${string}`>

/** A polynomial in reflected bit order, as two unsigned words: the highest of `bits` bits is the constant term. */
interface Word {
  readonly high: number
  readonly low: number
}

interface Field {
  readonly bits: 32 | 64
  /** The fixed polynomial, which is added when a multiplication by x makes the degree too high. */
  readonly polynomial: Word
  readonly one: Word
  /** x to the power of 8 * 2^index: the factors that append 1, 2, 4, ... zero bytes. Computed on demand. */
  readonly powers: Word[]
}

const fields: Readonly<Record<CombinableAlgorithm, Field>> = {
  CRC32: field32(0xedb88320),
  CRC32C: field32(0x82f63b78),
  CRC64NVME: {
    bits: 64,
    polynomial: { high: 0x9a6c9329, low: 0xac4bc9b5 },
    one: { high: 0x80000000, low: 0 },
    powers: [{ high: 0x00800000, low: 0 }],
  },
}

function field32(polynomial: number): Field {
  return {
    bits: 32,
    polynomial: { high: 0, low: polynomial },
    one: { high: 0, low: 0x80000000 },
    powers: [{ high: 0, low: 0x00800000 }],
  }
}

export const isCombinable = (algorithm: ChecksumAlgorithm): algorithm is CombinableAlgorithm => algorithm in fields

export interface CrcPiece {
  /** Big-endian digest bytes. */
  readonly digest: Uint8Array
  /** The number of bytes of the piece. */
  readonly size: number
}

/** The big-endian digest of all pieces joined in order. */
export function combineCrcs(algorithm: CombinableAlgorithm, pieces: readonly CrcPiece[]): Uint8Array {
  const field = fields[algorithm]
  let whole: Word = { high: 0, low: 0 }
  let shift = field.one
  let shiftedBytes = 0
  for (const { digest, size } of pieces) {
    if (size !== shiftedBytes) shift = zeroBytes(field, (shiftedBytes = size))
    const { high, low } = multiply(field, whole, shift)
    const own = toWord(digest)
    whole = { high: high ^ own.high, low: low ^ own.low }
  }
  const { bits } = field
  return Uint8Array.from({ length: bits / 8 }, (_, i) =>
    bits === 64 && i < 4 ? whole.high >>> (24 - 8 * i) : whole.low >>> (24 - 8 * (i % 4)),
  )
}

/** The factor that appends `count` zero bytes. */
function zeroBytes(field: Field, count: number): Word {
  const { powers } = field
  let result = field.one
  for (let rest = count, i = 0; rest > 0; rest = Math.floor(rest / 2), i++) {
    if (i === powers.length) powers.push(multiply(field, powers[i - 1] as Word, powers[i - 1] as Word))
    if (rest % 2 === 1) result = multiply(field, result, powers[i] as Word)
  }
  return result
}

/** Takes the bits of `a` from the constant term on, and multiplies `b` by x in each step. */
function multiply({ bits, polynomial }: Field, a: Word, b: Word): Word {
  let [high, low] = [0, 0]
  let [bHigh, bLow] = [b.high, b.low]
  for (let bit = bits - 1; bit >= 0; bit--) {
    if (((bit < 32 ? a.low : a.high) >>> (bit % 32)) & 1) {
      high ^= bHigh
      low ^= bLow
    }
    const over = -(bLow & 1)
    bLow = ((bLow >>> 1) | (bHigh << 31)) ^ (polynomial.low & over)
    bHigh = (bHigh >>> 1) ^ (polynomial.high & over)
  }
  return { high, low }
}

function toWord(digest: Uint8Array): Word {
  let [high, low] = [0, 0]
  for (const byte of digest) {
    high = (high << 8) | (low >>> 24)
    low = (low << 8) | byte
  }
  return { high, low }
}
