import { StorageError } from '../errors.ts'
import type { Event } from '../events/index.ts'
import type { BucketRow, UploadRow, VersionRow } from '../views/rows.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import { bucketTable, uploadTable, versionTable } from '../views/tables.ts'
import { noSuchBucket } from './conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly anyVersion: KeyedRow<VersionRow> | undefined
  readonly uploads: readonly { readonly key: string; readonly upload: number }[]
}

/**
 * Versions and delete markers both keep a bucket; uploads in progress do not, they are aborted with it, which is
 * the one case where a command writes more rows the more there is.
 * @throws `NoSuchBucket`, `BucketNotEmpty`.
 */
export const deleteBucket: Rule<'DeleteBucket', State> = {
  async load(rows, { bucket: name }) {
    const bucket = await rows.get(bucketTable.key(name))
    const anyVersion = await rows.first<VersionRow>(versionTable.range(name, ''))
    const uploads = anyVersion === undefined ? await rows.all<UploadRow>(uploadTable.range(name, '')) : []
    return {
      bucket,
      anyVersion,
      uploads: uploads.map(({ key, row }) => ({ key: uploadTable.objectKey(key), upload: row.seq })),
    }
  },

  decide({ bucket, anyVersion, uploads }, { bucket: name }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (anyVersion !== undefined) {
      const versions = bucket.versioning === undefined ? '' : ' You must delete all versions in the bucket.'
      throw new StorageError('BucketNotEmpty', `The bucket you tried to delete is not empty.${versions}`, {
        details: { BucketName: name },
      })
    }
    const aborted = uploads.map(
      ({ key, upload }): Event => ({ type: 'UploadAborted', data: { bucket: name, key, upload } }),
    )
    return [...aborted, { type: 'BucketDeleted', data: { bucket: name } }]
  },
}
