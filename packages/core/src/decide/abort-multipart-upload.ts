import type { BucketRow, UploadRow } from '../views/rows.ts'
import { bucketTable, uploadTable } from '../views/tables.ts'
import { noSuchBucket } from './conditions.ts'
import type { Rule } from './rule.ts'
import { noSuchUpload } from './uploads.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly upload: UploadRow | undefined
}

/** @throws `NoSuchBucket`, `NoSuchUpload`. */
export const abortMultipartUpload: Rule<'AbortMultipartUpload', State> = {
  async load(rows, { bucket, key, upload }) {
    return {
      bucket: await rows.get(bucketTable.key(bucket)),
      upload: await rows.get(uploadTable.key(bucket, key, upload)),
    }
  },

  decide({ bucket, upload }, command) {
    if (bucket === undefined) throw noSuchBucket(command.bucket)
    if (upload === undefined) throw noSuchUpload()
    return [{ type: 'UploadAborted', data: command }]
  },
}
