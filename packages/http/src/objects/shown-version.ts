import type { ReadBuckets } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'

/**
 * The version id to show where S3 shows that of the null version too: as `null` in a bucket where versioning was ever
 * set, and not at all in other buckets.
 */
export async function shownVersionId(
  store: { readonly buckets: Pick<ReadBuckets, 'getVersioning'> },
  bucket: string,
  versionId: string | undefined,
): Promise<string | undefined> {
  if (versionId !== 'null') return versionId
  // The work is done: it did not fail just because the bucket was deleted since.
  const versioning = await store.buckets.getVersioning(bucket).catch(() => undefined)
  return versioning === undefined ? undefined : versionId
}

/** After PUT and completion S3 shows only the ids that it created, and `null` is not one of them. */
export function madeVersionHeaders({ versionId }: { readonly versionId: string }): AnswerHeaders {
  return versionHeaders(versionId === 'null' ? undefined : versionId)
}

export function versionHeaders(versionId: string | undefined, name = 'x-amz-version-id'): AnswerHeaders {
  return versionId === undefined ? {} : { [name]: versionId }
}
