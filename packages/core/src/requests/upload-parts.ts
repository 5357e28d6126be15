/** Adds the parts of an upload: from a client's bytes, or from stored bytes. */
import { toBase64 } from '../bytes/base64.ts'
import { defaultChecksumType } from '../base/checksums.ts'
import type { WrittenContent } from '../content/content-writer.ts'
import { checkPartNumber } from '../decide/upload-part.ts'
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { ByteSource } from '../ports/index.ts'
import type { UploadRow } from '../views/rows.ts'
import { assertQuota } from './assert-quota.ts'
import { checkBytes, digestsFor } from './byte-checks.ts'
import { withRows } from './read-scope.ts'
import { type Attempt, attempting } from './request-context.ts'
import { checkCopySize, findSource, type PlacedSource, sourceScope } from './find-source.ts'
import { encryptedFacts, shownEncryption } from './protection.ts'
import { findBucket } from './find-bucket.ts'
import { partInfo } from './upload-info.ts'
import { type RequestEngine, findEvent } from './request-engine.ts'
import { findUpload } from './find-upload.ts'
import { readFound } from './read-object.ts'
import type {
  Cancelable,
  PartCopySource,
  PartResult,
  ReadsEncrypted,
  UploadPartOptions,
  UploadRef,
} from '../api/types/index.ts'

/** The upload and the number of a part. */
interface PartPlace extends UploadRef {
  readonly partNumber: number
}

export async function addPart(
  requests: RequestEngine,
  context: Attempt,
  part: PartPlace & { readonly source: ByteSource },
  options: UploadPartOptions,
): Promise<PartResult> {
  options.signal?.throwIfAborted()
  const { partNumber, source, bucket, key } = part
  checkPartNumber(partNumber)
  const ids = await requests.uploadIds()
  const scope = { requests, context }
  const { row, place } = await withRows(scope, (_, rows) => findUpload(rows, ids, part), { bucket, key })
  await assertQuota(requests, context, await findBucket(requests, context, bucket), { size: options.size })
  const checks = withDefaultChecksum(row, options)
  const protection = await requests.keys.protectPart(row.encryption, options.customerKey, context.by)
  const ofWhole = row.defaultChecksumAlgorithm
  const intake = { algorithms: digestsFor(checks, ofWhole), signal: options.signal, protection }
  return requests.withContent(source, intake, async (written) => {
    const { content, size } = written
    const digests = { ...checkBytes(written, checks), ...digestForWhole(written, checks, ofWhole) }
    const facts = encryptedFacts(requests, { size, content, ...digests }, protection)
    const events = await requests.submit('UploadPart', { ...place, partNumber, ...facts }, context, written)
    const { seq, at, data } = findEvent(events, 'PartAdded') as RecordedEvent<'PartAdded'>
    return { ...partInfo({ seq, at, ...data }), ...shownEncryption(protection?.encryption) }
  })
}

interface CopiedPart extends PartPlace {
  readonly source: PlacedSource<PartCopySource>
}

/** Source and part share one authorisation: the source must still be readable when the part is committed. */
export const copyPart = (
  requests: RequestEngine,
  context: Attempt,
  part: CopiedPart,
  options: Cancelable & ReadsEncrypted,
): Promise<PartResult & { readonly sourceVersionId: string }> =>
  attempting(context, part, (attempt) => copyBytes(requests, attempt, part, options))

async function copyBytes(
  requests: RequestEngine,
  context: Attempt,
  part: CopiedPart,
  options: Cancelable & ReadsEncrypted,
): Promise<PartResult & { readonly sourceVersionId: string }> {
  const { source } = part
  const { signal } = options
  const { customerKey } = source
  const read = { ...(signal && { signal }), ...(customerKey && { customerKey }) }
  const range = source.range && { range: { first: source.range.start, last: source.range.end - 1 } }
  await findBucket(requests, context, part.bucket)
  // One lookup only: a second one could find another null version than the one whose conditions were checked.
  const object = await readFound(sourceScope(requests, source), source, { ...range, ...read }, async () => {
    const found = await findSource(requests, context, source)
    checkCopySize(source.range === undefined ? found.row.size : source.range.end - source.range.start)
    return found
  })
  try {
    return {
      ...(await addPart(requests, context, { ...part, source: object.body }, options)),
      sourceVersionId: object.versionId,
    }
  } finally {
    await object.close()
  }
}

/** Adds the algorithm of the upload, whether the client sends a checksum or not. */
function withDefaultChecksum(row: UploadRow, options: UploadPartOptions): UploadPartOptions {
  const algorithm = row.checksumAlgorithm
  const sent = options.checksum?.algorithm
  if (algorithm === undefined || sent === algorithm) return options
  const type = row.checksumType ?? defaultChecksumType(algorithm)
  const isMissing = options.everyPartChecksum === true && type === 'COMPOSITE'
  if (sent === undefined && !isMissing) return { ...options, checksum: { algorithm } }
  const [expected, actual] = [algorithm.toLowerCase(), sent?.toLowerCase() ?? 'null']
  throw new StorageError(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${actual}`,
  )
}

/** The digest that the part gives to the whole object's checksum, unless its own checksum is the same. */
function digestForWhole(
  { digests }: WrittenContent,
  { checksum }: UploadPartOptions,
  algorithm: UploadRow['defaultChecksumAlgorithm'],
): { readonly defaultChecksum?: string } {
  const digest = algorithm === undefined || checksum?.algorithm === algorithm ? undefined : digests.get(algorithm)
  return digest === undefined ? {} : { defaultChecksum: toBase64(digest) }
}
