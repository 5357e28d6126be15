import type { PartInfo, UploadInfo } from '../api/types/index.ts'
import type { ManifestPart } from '../content/manifests.ts'
import type { UploadRow } from '../views/rows.ts'
import { shownEncryption } from './protection.ts'
import type { UploadIds } from './upload-ids.ts'

export function uploadInfo(ids: UploadIds, bucket: string, key: string, row: UploadRow): UploadInfo {
  const { seq, epoch, at, owner, initiator = owner, checksumAlgorithm, checksumType, storageClass } = row
  const optional = {
    ...(checksumAlgorithm && { checksumAlgorithm }),
    ...(checksumType && { checksumType }),
    ...(storageClass && { storageClass }),
    ...shownEncryption(row.encryption),
  }
  const uploadId = ids.idOf({ bucket, key, upload: seq, epoch })
  return { bucket, key, uploadId, initiated: new Date(at), owner, initiator, ...optional }
}

export const partInfo = ({ partNumber, etag, size, at, checksum }: ManifestPart): PartInfo => ({
  partNumber,
  etag,
  size,
  lastModified: new Date(at),
  ...(checksum && { checksum }),
})
