/**
 * The CRC of two pieces joined, from the CRCs of the pieces: a whole's checksum without reading it again.
 *
 * A CRC is linear over GF(2): appending n zero bytes multiplies the register by a fixed matrix. The matrix for n is
 * found by squaring (as in zlib's crc32_combine) and kept, since parts mostly have one length.
 */
import type { ChecksumAlgorithm } from '../ports/index.ts'

/** Checksums whose pieces can be joined. */
export type CombinableAlgorithm = Extract<ChecksumAlgorithm, `CRC${string}`>

type Matrix = readonly bigint[]

/** Reflected polynomials. */
const polynomials: Readonly<Record<CombinableAlgorithm, { readonly bits: number; readonly polynomial: bigint }>> = {
  CRC32: { bits: 32, polynomial: 0xedb88320n },
  CRC32C: { bits: 32, polynomial: 0x82f63b78n },
  CRC64NVME: { bits: 64, polynomial: 0x9a6c9329ac4bc9b5n },
}

export const isCombinable = (algorithm: ChecksumAlgorithm): algorithm is CombinableAlgorithm => algorithm in polynomials

export interface CrcPiece {
  /** Big-endian digest bytes. */
  readonly digest: Uint8Array
  /** Bytes the digest is of. */
  readonly size: number
}

/** The digest of all pieces joined in order; big-endian. */
export function combineCrcs(algorithm: CombinableAlgorithm, pieces: readonly CrcPiece[]): Uint8Array {
  const { bits } = polynomials[algorithm]
  const shifts = new Map<number, Matrix>()
  let whole = 0n
  for (const { digest, size } of pieces) {
    let shift = shifts.get(size)
    if (shift === undefined) shifts.set(size, (shift = zeroBytes(algorithm, size)))
    whole = multiply(shift, whole) ^ toNumber(digest)
  }
  return Uint8Array.from({ length: bits / 8 }, (_, i) => Number((whole >> BigInt(bits - 8 * (i + 1))) & 0xffn))
}

/** The matrix that appends `count` zero bytes. */
function zeroBytes(algorithm: CombinableAlgorithm, count: number): Matrix {
  const { bits, polynomial } = polynomials[algorithm]
  let power: Matrix = Array.from({ length: bits }, (_, i) => (i === 0 ? polynomial : 1n << BigInt(i - 1)))
  for (let i = 0; i < 3; i++) power = square(power)
  let result: Matrix = Array.from({ length: bits }, (_, i) => 1n << BigInt(i))
  for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = compose(power, result)
    power = square(power)
  }
  return result
}

const square = (matrix: Matrix): Matrix => compose(matrix, matrix)

const compose = (after: Matrix, before: Matrix): Matrix => before.map((column) => multiply(after, column))

function multiply(matrix: Matrix, vector: bigint): bigint {
  let sum = 0n
  for (let rest = vector, i = 0; rest !== 0n; rest >>= 1n, i++) {
    if (rest & 1n) sum ^= matrix[i] as bigint
  }
  return sum
}

function toNumber(digest: Uint8Array): bigint {
  let value = 0n
  for (const byte of digest) value = (value << 8n) | BigInt(byte)
  return value
}
