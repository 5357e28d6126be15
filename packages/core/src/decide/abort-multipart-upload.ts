import type { UploadRow } from '../views/rows.ts'
import { uploadTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'
import { noSuchUpload } from './uploads.ts'

/** @throws `NoSuchUpload`. */
export const abortMultipartUpload: Rule<'AbortMultipartUpload', UploadRow | undefined> = {
  load: (rows, { bucket, key, upload }) => rows.get(uploadTable.key(bucket, key, upload)),

  decide(upload, command) {
    if (upload === undefined) throw noSuchUpload()
    return [{ type: 'UploadAborted', data: command }]
  },
}
