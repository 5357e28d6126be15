/** S3's checksum algorithms, one row each. Names of headers and elements contain the name of the algorithm. */

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

interface ChecksumRow {
  /** The length of a digest. */
  readonly bytes: number
  /** The allowed types for an object uploaded in parts, the default first. Only CRCs of parts can be combined. */
  readonly types: readonly [ChecksumType, ...ChecksumType[]]
}

const row = (bytes: number, ...types: ChecksumRow['types']): ChecksumRow => ({ bytes, types })

/** Every checksum algorithm of S3, one row each. */
export const checksumTable = {
  CRC32: row(4, 'COMPOSITE', 'FULL_OBJECT'),
  CRC32C: row(4, 'COMPOSITE', 'FULL_OBJECT'),
  CRC64NVME: row(8, 'FULL_OBJECT'),
  SHA1: row(20, 'COMPOSITE'),
  SHA256: row(32, 'COMPOSITE'),
  SHA512: row(64, 'COMPOSITE'),
  MD5: row(16, 'COMPOSITE'),
  XXHASH64: row(8, 'COMPOSITE'),
  XXHASH3: row(8, 'COMPOSITE'),
  XXHASH128: row(16, 'COMPOSITE'),
} as const satisfies Readonly<Record<string, ChecksumRow>>

/** A checksum algorithm of S3. */
export type ChecksumAlgorithm = keyof typeof checksumTable

/** The algorithm that S3 uses if the client names none. */
export const defaultChecksumAlgorithm = 'CRC64NVME'
export type DefaultChecksumAlgorithm = typeof defaultChecksumAlgorithm

/** In the order of the table. */
export const checksumAlgorithms = Object.keys(checksumTable) as readonly ChecksumAlgorithm[]

/** The type that S3 uses if the client names an algorithm but no type. */
export const defaultChecksumType = (algorithm: ChecksumAlgorithm): ChecksumType => checksumTable[algorithm].types[0]

/** Whether S3 allows this type of checksum for this algorithm. */
export const allowsChecksumType = (algorithm: ChecksumAlgorithm, type: ChecksumType): boolean =>
  (checksumTable[algorithm].types as readonly ChecksumType[]).includes(type)
