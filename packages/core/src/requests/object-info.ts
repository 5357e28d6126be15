import type { ObjectInfo } from '../api/types/index.ts'
import type { ObjectMetadata } from '../events/index.ts'
import { versionId } from '../naming/version-id.ts'
import { shownEncryption } from './protection.ts'
import type { FoundObject } from './find-object.ts'

export function objectInfo(
  bucket: string,
  key: string,
  { bucket: { versioning: bucketVersioning }, row, annotations, expiration }: FoundObject,
): ObjectInfo {
  const { metadata, checksum, partsCount, storageClass, encryption } = row.facts
  const { user, ...headers } = metadata
  const { tags, retention, legalHold } = annotations
  return {
    bucket,
    key,
    versionId: versionId(row),
    seq: row.seq,
    etag: row.etag,
    size: row.size,
    lastModified: new Date(row.at),
    owner: row.owner,
    metadata: fromPairs(user),
    ...headers,
    ...(checksum && { checksum }),
    ...(partsCount && { partsCount }),
    ...(bucketVersioning && { bucketVersioning }),
    ...(tags && tags.length > 0 && { tagCount: tags.length }),
    ...(retention && { retention }),
    ...(legalHold && { legalHold }),
    ...(storageClass && { storageClass }),
    ...shownEncryption(encryption),
    ...(expiration && { expiration }),
  }
}

function fromPairs(pairs: ObjectMetadata['user']): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) record[name] = value
  return record
}
