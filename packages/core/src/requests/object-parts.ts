/** The parts of objects that were uploaded in parts. As S3 does, it numbers them by their place in the object. */
import { type ManifestPart, objectErased } from '../content/manifests.ts'
import { StorageError } from '../base/errors.ts'
import type { Checksum } from '../events/index.ts'
import type { ByteRange } from '../ports/index.ts'
import type { ObjectFacts } from '../events/index.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import type { ReadScope } from './read-scope.ts'
import { isOfPast } from './is-of-past.ts'
import { pageLimit } from '../reads/page-limit.ts'
import type { ObjectPart, ObjectPartPage, ObjectPartPageOptions } from '../api/types/index.ts'

export interface SelectedPart {
  readonly range: ByteRange
  readonly checksum?: Checksum | undefined
}

/**
 * An object that was put as a whole has one part, the whole object.
 * @throws StorageError `InvalidPartNumber`, `ObjectErased`
 */
export async function selectPart(scope: ReadScope, row: ObjectVersionRow, partNumber: number): Promise<SelectedPart> {
  const parts = await partsOf(scope, row)
  if (parts === undefined) {
    if (partNumber === 1) return { range: { start: 0, end: row.size } }
    throw invalidPartNumber(1)
  }
  let start = 0
  for (const [i, part] of parts.entries()) {
    if (i + 1 === partNumber)
      return { range: { start, end: start + part.size }, checksum: shownChecksum(row.facts, part) }
    start += part.size
  }
  throw invalidPartNumber(parts.length)
}

/** A page of parts; `undefined` for an object that was put as a whole. @throws StorageError `ObjectErased` */
export async function pageOfParts(
  scope: ReadScope,
  row: ObjectVersionRow,
  { after = 0, limit }: ObjectPartPageOptions,
): Promise<ObjectPartPage | undefined> {
  const most = pageLimit(limit)
  const parts = await partsOf(scope, row)
  if (parts === undefined) return undefined
  const end = after + most
  const entries = parts.slice(after, end).map((part, i) => describe(row.facts, part, after + i + 1))
  return { entries, isTruncated: most > 0 && end < parts.length, last: entries.at(-1)?.partNumber ?? 0 }
}

async function partsOf(
  { requests, at }: ReadScope,
  row: ObjectVersionRow,
): Promise<readonly ManifestPart[] | undefined> {
  const { content, partsCount } = row.facts
  if (content.kind !== 'parts') return undefined
  const parts = await requests.manifests.parts(content.upload)
  if (parts.length !== partsCount) throw isOfPast(row, at) ? objectErased() : partsMissing()
  return parts
}

function describe(whole: ObjectFacts, part: ManifestPart, partNumber: number): ObjectPart {
  const checksum = shownChecksum(whole, part)
  return { partNumber, size: part.size, ...(checksum && { checksum }) }
}

/** The checksum covers the bytes of the part; its type is that of the whole object, as in S3. */
function shownChecksum({ checksum: whole }: ObjectFacts, { checksum }: ManifestPart): Checksum | undefined {
  return checksum !== undefined && checksum.algorithm === whole?.algorithm
    ? { ...checksum, type: whole.type }
    : checksum
}

const invalidPartNumber = (count: number): StorageError =>
  new StorageError('InvalidPartNumber', 'The requested partnumber is not satisfiable', {
    details: { ActualPartCount: count },
  })

export const partsMissing = (): StorageError =>
  new StorageError('BlobMissing', 'Parts of this object are missing.', { details: { kind: 'parts' } })
