/** Compares bytes with what an event says about the content that it added. */
import type { ChecksumAlgorithm } from '../base/checksums.ts'
import { toBase64 } from '../bytes/base64.ts'
import { toHex } from '../bytes/hex.ts'
import type { ObjectFacts, RecordedEvent } from '../events/index.ts'
import type { Hashing } from '../ports/index.ts'
import { invalidProof } from './proof-errors.ts'

/** What agreed besides the size. */
export interface CheckedContent {
  readonly size: number
  readonly algorithm: ChecksumAlgorithm
  /** Other bytes with this digest cannot be made. False for CRCs, xxHashes, MD5 and SHA-1. */
  readonly isCollisionResistant: boolean
}

interface Expected {
  readonly algorithm: ChecksumAlgorithm
  /** Base64 or hex. */
  readonly value: string
}

const collisionResistant: ReadonlySet<ChecksumAlgorithm> = new Set(['SHA256', 'SHA512'])
const md5Etag = /^[0-9a-f]{32}$/

/**
 * All digests of the whole content that the event names must agree.
 * @throws StorageError `ProofInvalid`, kind `content`
 */
export async function checkContent(
  hashing: Hashing,
  event: RecordedEvent,
  chunks: AsyncIterable<Uint8Array>,
): Promise<CheckedContent> {
  if (event.type !== 'VersionAdded' && event.type !== 'UploadCompleted') {
    throw invalidProof('content', `The event is a ${event.type}, which adds no content.`)
  }
  const facts: ObjectFacts = event.data
  const expected = expectedOf(facts)
  const [first] = expected
  if (first === undefined) {
    throw invalidProof(
      'content',
      'The event names no digest of the whole content: it was uploaded in parts, or is encrypted.',
    )
  }
  const digests = expected.map(({ algorithm }) => hashing.create(algorithm))
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    for (const digest of digests) digest.update(chunk)
  }
  if (size !== facts.size) throw otherContent(`it has ${size} bytes, not ${facts.size}`)
  for (const [i, { algorithm, value }] of expected.entries()) {
    const found = digests[i]?.finish() ?? new Uint8Array()
    if (toHex(found) !== value && toBase64(found) !== value) throw otherContent(`its ${algorithm} is another one`)
  }
  return { size, algorithm: first.algorithm, isCollisionResistant: collisionResistant.has(first.algorithm) }
}

/** The strongest one first. */
function expectedOf({ checksum, etag, encryption, content }: ObjectFacts): readonly Expected[] {
  const whole: Expected[] = []
  if (checksum?.type === 'FULL_OBJECT') whole.push({ algorithm: checksum.algorithm, value: checksum.value })
  // As in S3, the ETag of parts is no MD5 of their content, nor is that under keys that the store does not choose itself.
  const isPlain = (encryption === undefined || encryption.mode === 'AES256') && content.kind !== 'parts'
  if (isPlain && md5Etag.test(etag)) whole.push({ algorithm: 'MD5', value: etag })
  const rank = ({ algorithm }: Expected): number =>
    collisionResistant.has(algorithm) ? 0 : algorithm === 'SHA1' || algorithm === 'MD5' ? 1 : 2
  return whole.sort((a, b) => rank(a) - rank(b))
}

const otherContent = (why: string) => invalidProof('content', `The content is not that of the event: ${why}.`)
