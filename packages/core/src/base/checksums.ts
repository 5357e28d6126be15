/** S3's checksum algorithms, a row each. Names of headers and elements are made of the name of the algorithm. */

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

interface ChecksumRow {
  /** Of a digest. */
  readonly bytes: number
  /** How the checksum of an object made of parts may be made, the default first. Only CRCs of parts can be joined. */
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

/** What S3 gives an object whose client names no algorithm. */
export const defaultChecksumAlgorithm = 'CRC64NVME'
export type DefaultChecksumAlgorithm = typeof defaultChecksumAlgorithm

/** In the order of the table. */
export const checksumAlgorithms = Object.keys(checksumTable) as readonly ChecksumAlgorithm[]

/** What S3 does when a client names an algorithm and no type. */
export const defaultChecksumType = (algorithm: ChecksumAlgorithm): ChecksumType => checksumTable[algorithm].types[0]

/** Whether S3 has this type of checksum for this algorithm. */
export const allowsChecksumType = (algorithm: ChecksumAlgorithm, type: ChecksumType): boolean =>
  (checksumTable[algorithm].types as readonly ChecksumType[]).includes(type)
