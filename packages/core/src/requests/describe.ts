/** Rows as the API shows them. */
import type { ContentHeaders, ObjectMetadata } from '../events/index.ts'
import type { DeleteMarkerRow, ObjectVersionRow, UploadRow } from '../views/rows.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import type { ManifestPart } from '../content/manifests.ts'
import { versionId } from '../naming/version-id.ts'
import { shownEncryption } from './encrypt.ts'
import type { FoundObject } from './find-object.ts'
import type { UploadIds } from './upload-ids.ts'
import type {
  BucketInfo,
  ListedMarker,
  ListedObject,
  ListedVersion,
  MetadataOptions,
  ObjectInfo,
  PartInfo,
  UploadInfo,
} from '../api/types/index.ts'

export function describeBucket({ name, row }: NamedBucket): BucketInfo {
  const { owner, region, createdAt, versioning, settings } = row
  const optional = { ...(versioning && { versioning }), ...(settings && { settings }) }
  return { name, owner, region, createdAt: new Date(createdAt), ...optional }
}

export function describeObject(
  bucket: string,
  key: string,
  { bucket: { versioning: bucketVersioning }, row, annotations, expiration }: FoundObject,
): ObjectInfo {
  const { user, ...headers } = row.metadata
  const { tags, retention, legalHold } = annotations
  const { storageClass } = row
  return {
    ...headers,
    bucket,
    key,
    versionId: versionId(row),
    seq: row.seq,
    etag: row.etag,
    size: row.size,
    lastModified: new Date(row.at),
    owner: row.owner,
    metadata: fromPairs(user),
    ...(row.checksum && { checksum: row.checksum }),
    ...(row.partsCount && { partsCount: row.partsCount }),
    ...(bucketVersioning && { bucketVersioning }),
    ...(tags && tags.length > 0 && { tagCount: tags.length }),
    ...(retention && { retention }),
    ...(legalHold && { legalHold }),
    ...(storageClass && { storageClass }),
    ...shownEncryption(row.encryption),
    ...(expiration && { expiration }),
  }
}

export const describeListed = (key: string, row: ObjectVersionRow): ListedObject => listed('object', key, row)

/** Added to: to spread what is listed and put more behind it takes ten times as long. */
export const describeVersion = (key: string, row: ObjectVersionRow, isLatest: boolean): ListedVersion =>
  Object.assign(listed('version', key, row), { seq: row.seq, isLatest })

function listed<Kind extends string>(kind: Kind, key: string, row: ObjectVersionRow) {
  const { etag, size, owner, checksum, storageClass } = row
  const described = checksum && { checksum: { algorithm: checksum.algorithm, type: checksum.type } }
  const shown = {
    kind,
    key,
    versionId: versionId(row),
    etag,
    size,
    lastModified: new Date(row.at),
    owner,
    ...described,
  }
  return storageClass === undefined ? shown : { ...shown, storageClass }
}

export const describeMarker = (key: string, row: DeleteMarkerRow, isLatest: boolean): ListedMarker => ({
  kind: 'marker',
  key,
  versionId: versionId(row),
  seq: row.seq,
  isLatest,
  lastModified: new Date(row.at),
  owner: row.owner,
})

export function describeUpload(ids: UploadIds, bucket: string, key: string, row: UploadRow): UploadInfo {
  const { seq, at, owner, initiator = owner, checksumAlgorithm, checksumType, storageClass } = row
  const optional = {
    ...(checksumAlgorithm && { checksumAlgorithm }),
    ...(checksumType && { checksumType }),
    ...(storageClass && { storageClass }),
    ...shownEncryption(row.encryption),
  }
  const uploadId = ids.idOf({ bucket, key, upload: seq })
  return { bucket, key, uploadId, initiated: new Date(at), owner, initiator, ...optional }
}

export const describePart = ({ partNumber, etag, size, at, checksum }: ManifestPart): PartInfo => ({
  partNumber,
  etag,
  size,
  lastModified: new Date(at),
  ...(checksum && { checksum }),
})

/** Options as the log keeps them: absent fields stay absent, names of user metadata are lower case. */
export function metadataOf(options: MetadataOptions): ObjectMetadata {
  const user = Object.entries(options.metadata ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...contentHeaders(options), user }
}

function contentHeaders(options: ContentHeaders): ContentHeaders {
  const { contentType, contentEncoding, contentLanguage, contentDisposition } = options
  const { cacheControl, expires, websiteRedirectLocation } = options
  return {
    ...(contentType !== undefined && { contentType }),
    ...(contentEncoding !== undefined && { contentEncoding }),
    ...(contentLanguage !== undefined && { contentLanguage }),
    ...(contentDisposition !== undefined && { contentDisposition }),
    ...(cacheControl !== undefined && { cacheControl }),
    ...(expires !== undefined && { expires }),
    ...(websiteRedirectLocation !== undefined && { websiteRedirectLocation }),
  }
}

function fromPairs(pairs: ObjectMetadata['user']): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) record[name] = value
  return record
}
