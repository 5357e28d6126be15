/**
 * ETag and checksum of an object uploaded in parts, as S3 defines them: computed from the parts' digests, not bytes.
 */
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { checksumTable, defaultChecksumAlgorithm } from '../base/checksums.ts'
import { concatBytes } from '../bytes/bytes.ts'
import { fillFromHex, toHex } from '../bytes/hex.ts'
import type { Checksum, ChecksumType } from '../events/index.ts'
import type { ChecksumAlgorithm, DigestAlgorithm, Hashing } from '../ports/index.ts'
import { combineCrcs, isCombinable } from '../bytes/combine-crc.ts'

interface DigestedPart {
  readonly size: number
  readonly etag: string
  readonly checksum?: Checksum
  readonly defaultChecksum?: string
}

function digest(hashing: Hashing, algorithm: DigestAlgorithm, bytes: Uint8Array): Uint8Array {
  const state = hashing.create(algorithm)
  state.update(bytes)
  return state.finish()
}

/** The MD5 of the parts' binary MD5s, then `-` and the number of parts. */
export function wholeEtag(hashing: Hashing, parts: readonly DigestedPart[]): string {
  const joined = new Uint8Array(parts.reduce((length, { etag }) => length + etag.length / 2, 0))
  let end = 0
  for (const { etag } of parts) end = fillFromHex(joined, end, etag)
  return `${toHex(digest(hashing, 'MD5', joined))}-${parts.length}`
}

/** A part's own checksum, or the digest that was computed for the whole object. */
function valueOf({ checksum, defaultChecksum }: DigestedPart, algorithm: ChecksumAlgorithm): string | undefined {
  if (checksum?.algorithm === algorithm) return checksum.value
  return algorithm === defaultChecksumAlgorithm ? defaultChecksum : undefined
}

/** `undefined` when some part was stored without a checksum of this algorithm. */
export function wholeChecksum(
  hashing: Hashing,
  parts: readonly DigestedPart[],
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
): Checksum | undefined {
  const pieces: { digest: Uint8Array; size: number }[] = []
  for (const part of parts) {
    const { size } = part
    const value = fromBase64(valueOf(part, algorithm) ?? '')
    if (value?.length !== checksumTable[algorithm].bytes) return undefined
    pieces.push({ digest: value, size })
  }
  if (type === 'FULL_OBJECT') {
    if (!isCombinable(algorithm)) return undefined
    return { algorithm, type, value: toBase64(combineCrcs(algorithm, pieces)) }
  }
  const joined = concatBytes(pieces.map((piece) => piece.digest))
  return { algorithm, type, value: `${toBase64(digest(hashing, algorithm, joined))}-${parts.length}` }
}
