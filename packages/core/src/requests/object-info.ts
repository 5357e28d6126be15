import type { ObjectInfo } from '../api/types/index.ts'
import type { ContentHeaders, ObjectMetadata } from '../events/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import { versionId } from '../naming/version-id.ts'
import { shownEncryption } from './protection.ts'
import type { FoundObject } from './find-object.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** A new object, to which the caller may add. Written without spreads, which take several times as long. */
export function objectInfo(
  bucket: string,
  key: string,
  { bucket: { versioning }, row, annotations, expiration }: FoundObject,
): Writable<ObjectInfo> {
  const { metadata, checksum, partsCount, storageClass, encryption } = row.facts
  const info: Writable<ObjectInfo> = {
    bucket,
    key,
    versionId: versionId(row),
    seq: row.seq,
    etag: row.etag,
    size: row.size,
    lastModified: new Date(row.at),
    owner: row.owner,
    metadata: fromPairs(metadata.user),
  }
  addHeaders(info, metadata)
  if (checksum) info.checksum = checksum
  if (partsCount) info.partsCount = partsCount
  if (versioning) info.bucketVersioning = versioning
  addAnnotations(info, annotations)
  if (storageClass) info.storageClass = storageClass
  if (encryption) Object.assign(info, shownEncryption(encryption))
  if (expiration) info.expiration = expiration
  return info
}

const headerNames = Object.keys({
  contentType: true,
  contentEncoding: true,
  contentLanguage: true,
  contentDisposition: true,
  cacheControl: true,
  expires: true,
  websiteRedirectLocation: true,
} satisfies Readonly<Record<keyof ContentHeaders, true>>) as readonly (keyof ContentHeaders)[]

function addHeaders(info: Writable<ObjectInfo>, headers: ContentHeaders): void {
  for (const name of headerNames) {
    const value = headers[name]
    if (value !== undefined) info[name] = value
  }
}

function addAnnotations(info: Writable<ObjectInfo>, { tags, retention, legalHold }: Annotations): void {
  if (tags && tags.length > 0) info.tagCount = tags.length
  if (retention) info.retention = retention
  if (legalHold) info.legalHold = legalHold
}

function fromPairs(pairs: ObjectMetadata['user']): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) record[name] = value
  return record
}
