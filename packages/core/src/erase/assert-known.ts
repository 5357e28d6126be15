/** Refuses an erasure of what never was: a mistyped key must not pass for an erased secret. */
import type { EraseRequest } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { bucketTable, pastVersionTable, versionTable } from '../views/tables.ts'

/**
 * For a request that found no versions with bytes and no uploads. Delete markers and empty objects are versions without bytes.
 * @throws StorageError `NoSuchBucket`, `NoSuchKey`
 */
export async function assertKnown(rows: Rows, request: EraseRequest): Promise<void> {
  const { bucket, key } = request
  const row = await rows.get(bucketTable.key(bucket))
  if (row === undefined) await assertHadBucket(rows, bucket)
  if (key === undefined) return
  const { takesVersions, takesUploads } = kindsOf(request)
  // A fork shows versions of its base, which are not its own.
  if (takesVersions && (row?.base !== undefined || (await hadVersion(rows, bucket, key)))) return
  const had = [...(takesVersions ? ['a version'] : []), ...(takesUploads ? ['an upload'] : [])].join(' or ')
  const message = `The bucket ${JSON.stringify(bucket)} never had ${had} of the key ${JSON.stringify(key)}.`
  throw new StorageError('NoSuchKey', message, { details: { Key: key } })
}

const kindsOf = ({ versions, uploads = false }: EraseRequest) => ({
  takesVersions: uploads === false || (uploads !== 'only' && versions?.length !== 0),
  takesUploads: uploads !== false,
})

async function assertHadBucket(rows: Rows, bucket: string): Promise<void> {
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, Number.MAX_SAFE_INTEGER))
  if (past === undefined) throw noSuchBucket(bucket)
}

async function hadVersion(rows: Rows, bucket: string, key: string): Promise<boolean> {
  for (const table of [versionTable, pastVersionTable]) {
    if ((await rows.first(table.ofKey(bucket, key))) !== undefined) return true
  }
  return false
}
