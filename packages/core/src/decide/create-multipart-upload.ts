import { allowsChecksumType } from '../base/checksums.ts'
import type { CommandShapes } from '../commands/command.ts'
import { StorageError } from '../base/errors.ts'
import { checkKey, checkMetadata } from '../naming/names.ts'
import type { ObjectOwnership } from '../settings/access-control.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { checkUploadCount, loadQuota, type QuotaState } from '../reads/quota.ts'
import { checkCreation } from './creation.ts'
import { loadOwnership, owned } from './ownership.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly ownership: ObjectOwnership | undefined
  readonly quota: QuotaState | undefined
}

/** @throws `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`, `InvalidRequest`, `QuotaExceeded`, and as `checkCreation`. */
export const createMultipartUpload: Rule<'CreateMultipartUpload', State> = {
  async load(rows, { bucket: name }, _hashing, { by }) {
    const bucket = await rows.get(bucketTable.key(name))
    return {
      bucket,
      ownership: await loadOwnership(rows, name, bucket, by),
      quota: await loadQuota(rows, name, bucket),
    }
  },

  decide(state, command, _meta, { at }) {
    checkKey(command.key)
    checkMetadata(command.metadata)
    checkChecksum(command)
    if (state.bucket === undefined) throw noSuchBucket(command.bucket)
    checkCreation(command, state.bucket, at)
    checkUploadCount(state.quota)
    return [{ type: 'UploadStarted', data: owned(command, state) }]
  },
}

/** @throws StorageError `InvalidRequest` for a checksum algorithm that does not allow the checksum type. */
function checkChecksum({
  checksumAlgorithm: algorithm,
  checksumType: type,
}: CommandShapes['CreateMultipartUpload']): void {
  if (algorithm === undefined || type === undefined || allowsChecksumType(algorithm, type)) return
  throw new StorageError(
    'InvalidRequest',
    `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  )
}
