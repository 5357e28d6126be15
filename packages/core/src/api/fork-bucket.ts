/** Creates forks of buckets. */
import { StorageError } from '../base/errors.ts'
import type { Soon } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import { loadOwnerQuota } from '../reads/quota.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { bytesShownByFork, type ShownByFork } from '../reads/shown-by-fork.ts'
import { withRows, withSnapshot } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { findEvent, type RequestEngine } from '../requests/request-engine.ts'
import { bucketRowAt } from '../views/bucket-row-at.ts'
import { bucketTable } from '../views/tables.ts'
import { noOwnerUsage } from '../views/usage.ts'
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
  const counted = await shownBytes(requests, context, { bucket: from, position })
  const command = { bucket, from, ...(position !== undefined && { position }), ...counted }
  const event = findEvent(await requests.submit('ForkBucket', command, context), 'BucketForked')
  // The next command may have changed the bucket: it is read as of its creation.
  const row =
    event &&
    (await withSnapshot({ requests, context, at: event.seq }, (snapshot) => snapshot.bucket(bucket), { bucket }))
  if (row === undefined) throw new StorageError('InternalError', 'The command left no fork.')
  return { name: bucket, row }
}

/** Absent without a quota: counting them takes a look at each. */
const shownBytes = (
  requests: RequestEngine,
  context: StoreContext,
  { bucket, position }: { readonly bucket: string; readonly position: Seq | undefined },
): Soon<Partial<ShownByFork>> =>
  withRows(
    { requests, context },
    async (reader, rows) => {
      const { quota, used = noOwnerUsage } = (await loadOwnerQuota(rows, context.by.id)) ?? {}
      const row =
        position === undefined ? await rows.get(bucketTable.key(bucket)) : await bucketRowAt(rows, bucket, position)
      if (quota?.bytes === undefined || row === undefined) return {}
      const { hashing } = requests.ports
      return bytesShownByFork({ reader, rows, hashing }, { bucket, row, position }, quota.bytes - used.live)
    },
    { bucket },
  )
