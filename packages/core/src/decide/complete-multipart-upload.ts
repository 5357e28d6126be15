import { defaultChecksumType } from '../base/checksums.ts'
import type { CommandShapes, CompletedPart } from '../commands/command.ts'
import { wholeChecksum, wholeEtag } from '../content/whole-digests.ts'
import { StorageError } from '../base/errors.ts'
import { type Checksum, type ChecksumType, creationFacts } from '../events/index.ts'
import { limits } from '../base/limits.ts'
import type { ChecksumAlgorithm, Hashing } from '../ports/index.ts'
import type { PartFacts, PartsByNumber } from '../views/open-parts.ts'
import type { UploadRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import { bucketTable, completionTable, versionTable } from '../views/tables.ts'
import { findVersionAt } from '../views/find-version.ts'
import { checkWriteConditions, noSuchBucket } from '../reads/conditions.ts'
import { checkObjectCount, checkObjectSize, loadQuota, type QuotaState } from '../reads/quota.ts'
import { retentionByDefault } from './creation.ts'
import { loadNewVersion, type NewVersionState, placeVersion } from './new-version.ts'
import type { Rule } from './rule.ts'
import { loadUpload, noSuchUpload } from './uploads.ts'

type Complete = CommandShapes['CompleteMultipartUpload']

interface State extends NewVersionState {
  readonly quota: QuotaState | undefined
  readonly upload: UploadRow | undefined
  /** The version that the upload became, if the upload was completed and the version still exists. */
  readonly completed: VersionRow | undefined
  readonly parts: PartsByNumber
  /** True if the object that the key had when the upload began was deleted since. */
  readonly overGone: boolean
  /** The ETag and the checksum of the listed parts, as far as these exist. */
  readonly etag: string
  readonly checksum: Checksum | undefined
}

/**
 * Names the parts as an object, so no bytes are copied. Reads all parts of the upload and writes a fixed number of
 * rows. The current versioning state applies, not the one at the start of the upload.
 * @throws `NoSuchBucket`, `NoSuchUpload`, `InvalidRequest`, `InvalidPartOrder`, `InvalidPart`, `EntityTooSmall`,
 * `EntityTooLarge`, `BadDigest`, `PreconditionFailed`, `ConditionalRequestConflict`, `QuotaExceeded`.
 */
export const completeMultipartUpload: Rule<'CompleteMultipartUpload', State> = {
  async load(rows, command, hashing, { by }) {
    const { bucket, key, upload, epoch } = command
    const row = await loadUpload(rows, await rows.get(bucketTable.key(bucket)), command)
    const completion = row === undefined ? await rows.get(completionTable.key(upload)) : undefined
    const isOwn = completion?.bucket === bucket && completion.key === key && completion.epoch === epoch
    const own = isOwn ? completion : undefined
    const completed = own && (await rows.get(versionTable.key(bucket, key, own.version)))
    const parts: PartsByNumber = row === undefined && completed === undefined ? new Map() : await rows.parts(upload)
    const state = await loadNewVersion(rows, command, by)
    return {
      ...state,
      quota: await loadQuota(rows, bucket, state.bucket),
      upload: row,
      completed,
      parts,
      overGone: row?.over !== undefined && (await findVersionAt(rows, bucket, key, row.over)) === undefined,
      ...digests(hashing, command, row, parts),
    }
  },

  decide(state, command, { by }, { at }) {
    const { bucket, key, upload, parts: listed, conditions } = command
    if (state.bucket === undefined) throw noSuchBucket(bucket)
    if (state.upload === undefined) {
      if (command.repeatable && state.completed !== undefined && sameParts(listed, state.parts)) return []
      throw noSuchUpload()
    }
    const parts = checkParts(command, state.parts, state.upload)
    const place = placeVersion(state, bucket)
    checkWriteConditions(state.newest, conditions, key)
    checkUnchangedSince(state, command)
    const size = parts.reduce((total, part) => total + part.size, 0)
    checkWhole(state, command, size)
    checkObjectSize(state.quota, size)
    checkObjectCount(state.quota, state.bucket, state.nullVersion)
    const facts = {
      size,
      etag: state.etag,
      content: { kind: 'parts', upload } as const,
      metadata: state.upload.metadata,
      ...(state.checksum && { checksum: state.checksum }),
      partsCount: parts.length,
      ...creationFacts(state.upload),
      // The owner was decided when the upload started.
      ...(state.upload.owner.id !== by.id && { owner: state.upload.owner }),
      ...retentionByDefault(state.upload, state.lock, at),
    }
    const data = { bucket, key, ...place, ...facts, upload, parts: runs(listed), unused: unused(listed, state.parts) }
    return [{ type: 'UploadCompleted', data }]
  },
}

function digests(hashing: Hashing, command: Complete, upload: UploadRow | undefined, parts: State['parts']) {
  const listed = command.parts.map(({ partNumber }) => parts.get(partNumber)).filter((part) => part !== undefined)
  const etag = wholeEtag(hashing, listed)
  const { algorithm, type } = checksumOf(upload)
  return { etag, checksum: algorithm && type && wholeChecksum(hashing, listed, algorithm, type) }
}

/** Checksum algorithm and type of the whole object: those of the upload, or the defaults. */
function checksumOf(upload: UploadRow | undefined): { algorithm?: ChecksumAlgorithm; type?: ChecksumType } {
  const algorithm = upload?.checksumAlgorithm ?? upload?.defaultChecksumAlgorithm
  if (algorithm === undefined) return {}
  return { algorithm, type: upload?.checksumType ?? defaultChecksumType(algorithm) }
}

function checkParts(
  { parts: listed, everyPartChecksum = false, partSizeMin = limits.partSizeMin }: Complete,
  stored: State['parts'],
  upload: UploadRow,
): readonly PartFacts[] {
  if (listed.length === 0) throw new StorageError('InvalidRequest', 'You must specify at least one part')
  for (let i = 1; i < listed.length; i++) {
    if ((listed[i] as CompletedPart).partNumber > (listed[i - 1] as CompletedPart).partNumber) continue
    throw new StorageError(
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
      { details: { UploadSequence: upload.seq } },
    )
  }
  const parts = listed.map((part) => {
    const row = stored.get(part.partNumber)
    if (row === undefined || row.etag !== part.etag || !sameChecksum(part, row)) throw invalidPart(part)
    if (everyPartChecksum && part.checksum === undefined) checkNeedsNone(upload, part)
    return row
  })
  const small = parts.findIndex(({ size }, i) => size < partSizeMin && i < parts.length - 1)
  if (small >= 0) throw tooSmall(parts[small] as PartFacts, (listed[small] as CompletedPart).partNumber, partSizeMin)
  return parts
}

const sameChecksum = ({ checksum }: CompletedPart, row: PartFacts): boolean =>
  checksum === undefined || (row.checksum?.algorithm === checksum.algorithm && row.checksum.value === checksum.value)

/** For a composite checksum, S3 requires the checksum of each part. */
function checkNeedsNone(upload: UploadRow, { partNumber }: CompletedPart): void {
  const algorithm = upload.checksumAlgorithm
  if (algorithm === undefined || (upload.checksumType ?? defaultChecksumType(algorithm)) !== 'COMPOSITE') return
  throw new StorageError(
    'InvalidRequest',
    `The upload was created using a ${algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${partNumber} in the request.`,
  )
}

/** Whether the listed parts are those of the completed object. Parts that were not chosen are no longer stored. */
function sameParts(listed: readonly CompletedPart[], stored: State['parts']): boolean {
  const chosen = [...stored]
  return (
    listed.length === chosen.length &&
    listed.every(({ partNumber, etag }, i) => chosen[i]?.[0] === partNumber && chosen[i]?.[1].etag === etag)
  )
}

/** Refuses If-Match if the object was written during the upload, and If-None-Match if it was written or deleted. */
function checkUnchangedSince(state: State, { key, upload, conditions }: Complete): void {
  const { newest, overGone } = state
  const written = newest !== undefined && newest.seq > upload
  if (
    (conditions.ifMatch !== undefined && written) ||
    (conditions.ifNoneMatch !== undefined && (written || overGone))
  ) {
    throw new StorageError(
      'ConditionalRequestConflict',
      'The conditional request cannot succeed due to a conflicting operation against this resource.',
      { details: { Condition: conditions.ifMatch === undefined ? 'If-None-Match' : 'If-Match', Key: key } },
    )
  }
}

function checkWhole(state: State, command: Complete, size: number): void {
  if (size > limits.objectSizeMax) {
    throw new StorageError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed object size.', {
      details: { ProposedSize: size, MaxSizeAllowed: limits.objectSizeMax },
    })
  }
  if (command.size !== undefined && command.size !== size) {
    throw new StorageError(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${command.size} does not match what was computed: ${size}`,
    )
  }
  checkMode(state.upload, command)
  checkComparable(state, command)
  checkExpected(state.checksum, command.checksum)
}

/** An upload without an algorithm has one checksum at most. Any other was not computed, so it cannot be compared. */
function checkComparable({ upload, checksum: computed }: State, { checksum: sent }: Complete): void {
  if (sent === undefined || upload?.checksumAlgorithm !== undefined || sent.algorithm === computed?.algorithm) return
  throw new StorageError(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: null, actual checksum Type: ${sent.algorithm.toLowerCase()}`,
  )
}

/** A default checksum has no mode, which S3 writes as `null`. */
function checkMode(upload: UploadRow | undefined, { checksumType }: Complete): void {
  const type = upload?.checksumAlgorithm && checksumOf(upload).type
  if (checksumType === undefined || checksumType === type) return
  throw new StorageError(
    'InvalidRequest',
    `The upload was created using the ${type ?? 'null'} checksum mode. The complete request must use the same checksum mode.`,
  )
}

/** The expected composite value may have its part count or not. */
function checkExpected(computed: Checksum | undefined, expected: Complete['checksum']): void {
  if (expected === undefined || computed === undefined) return
  const plain = computed.value.replace(/-\d+$/, '')
  if (expected.algorithm === computed.algorithm && [plain, computed.value].includes(expected.value)) return
  throw new StorageError('BadDigest', `The ${expected.algorithm} you specified did not match the calculated checksum.`)
}

function invalidPart({ partNumber, etag }: CompletedPart): StorageError {
  return new StorageError(
    'InvalidPart',
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    { details: { PartNumber: partNumber, ETag: etag } },
  )
}

function tooSmall(part: PartFacts, partNumber: number, min: number): StorageError {
  return new StorageError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
    details: { ProposedSize: part.size, MinSizeAllowed: min, PartNumber: partNumber, ETag: part.etag },
  })
}

/** The numbers of uploaded parts that are not listed. Each listed part exists and is listed once. */
function unused(listed: readonly CompletedPart[], stored: State['parts']): number[] {
  if (listed.length === stored.size) return []
  const chosen = new Set(listed.map(({ partNumber }) => partNumber))
  return [...stored.keys()].filter((number) => !chosen.has(number))
}

function runs(listed: readonly CompletedPart[]): [number, number][] {
  const result: [number, number][] = []
  for (const { partNumber } of listed) {
    const last = result.at(-1)
    if (last !== undefined && last[1] === partNumber - 1) last[1] = partNumber
    else result.push([partNumber, partNumber])
  }
  return result
}
