/** Creates forks of buckets. */
import { StorageError } from '../base/errors.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { withSnapshot } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { findEvent, type RequestEngine } from '../requests/request-engine.ts'
import type { ForkOptions } from './types/index.ts'

/** The fork as it was created. */
export async function forkBucket(
  requests: RequestEngine,
  context: StoreContext,
  { from, bucket }: { readonly from: string; readonly bucket: string },
  { at, signal }: ForkOptions,
): Promise<NamedBucket> {
  signal?.throwIfAborted()
  const position = at === undefined ? undefined : await requests.owner.positionOf(at)
  await requests.assertRoom()
  const command = { bucket, from, ...(position !== undefined && { position }) }
  const event = findEvent(await requests.submit('ForkBucket', command, context), 'BucketForked')
  // The next command may have changed the bucket: it is read as of its creation.
  const row =
    event &&
    (await withSnapshot({ requests, context, at: event.seq }, (snapshot) => snapshot.bucket(bucket), { bucket }))
  if (row === undefined) throw new StorageError('InternalError', 'The command left no fork.')
  return { name: bucket, row }
}
