import type { BucketRow, UploadRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'
import { loadUpload, noSuchUpload } from './uploads.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly upload: UploadRow | undefined
}

/** @throws `NoSuchBucket`, `NoSuchUpload`. */
export const abortMultipartUpload: Rule<'AbortMultipartUpload', State> = {
  async load(rows, command) {
    const bucket = await rows.get(bucketTable.key(command.bucket))
    return { bucket, upload: await loadUpload(rows, bucket, command) }
  },

  decide({ bucket, upload: row }, { bucket: name, key, upload }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (row === undefined) throw noSuchUpload()
    return [{ type: 'UploadAborted', data: { bucket: name, key, upload } }]
  },
}
