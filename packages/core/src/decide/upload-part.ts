import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { BucketRow, PartRow, UploadRow } from '../views/rows.ts'
import { bucketTable, partTable } from '../views/tables.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { checkObjectSize, checkRoom, loadQuota, type QuotaState } from '../reads/quota.ts'
import { storedBytes } from '../views/usage.ts'
import { loadUpload, noSuchUpload } from './uploads.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly upload: UploadRow | undefined
  readonly replaced: PartRow | undefined
  readonly quota: QuotaState | undefined
}

/**
 * Of uploads with one part number, the last to finish wins.
 * @throws `InvalidArgument`, `NoSuchBucket`, `NoSuchUpload`, `QuotaExceeded`.
 */
export const uploadPart: Rule<'UploadPart', State> = {
  async load(rows, command) {
    const bucket = await rows.get(bucketTable.key(command.bucket))
    return {
      bucket,
      upload: await loadUpload(rows, bucket, command),
      replaced: await rows.get(partTable.key(command.upload, command.partNumber)),
      quota: await loadQuota(rows, command.bucket, bucket),
    }
  },

  decide({ bucket, upload, replaced, quota }, command) {
    checkPartNumber(command.partNumber)
    if (bucket === undefined) throw noSuchBucket(command.bucket)
    if (upload === undefined) throw noSuchUpload()
    checkObjectSize(quota, command.size)
    checkRoom(quota, storedBytes(command.content))
    return [{ type: 'PartAdded', data: { ...command, ...(replaced && { replaces: replaced.seq }) } }]
  },
}

/** @throws StorageError `InvalidArgument` outside 1 to 10,000. */
export function checkPartNumber(partNumber: number): void {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > limits.partNumberMax) {
    throw new StorageError('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive', {
      details: { ArgumentName: 'partNumber', ArgumentValue: partNumber },
    })
  }
}
