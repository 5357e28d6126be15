import type { RequestStore } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'

/**
 * The version id to show, where S3 shows the null version's too: as `null` in a bucket whose versioning was ever set,
 * and not at all in one where it never was.
 */
export async function shownVersionId(
  store: RequestStore,
  bucket: string,
  versionId: string | undefined,
): Promise<string | undefined> {
  if (versionId !== 'null') return versionId
  // The work is done: a bucket that vanished since is no reason to call it failed.
  const versioning = await store.buckets.getVersioning(bucket).catch(() => undefined)
  return versioning === undefined ? undefined : versionId
}

/** After PUT and completion S3 shows the ids it made, and `null` is none of them. */
export function madeVersionHeaders({ versionId }: { readonly versionId: string }): AnswerHeaders {
  return versionHeaders(versionId === 'null' ? undefined : versionId)
}

export function versionHeaders(versionId: string | undefined, name = 'x-amz-version-id'): AnswerHeaders {
  return versionId === undefined ? {} : { [name]: versionId }
}
