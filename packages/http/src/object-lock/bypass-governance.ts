/** `x-amz-bypass-governance-retention`: with its permission, removes versions under GOVERNANCE retention. */

import { S3Error } from '../errors/errors.ts'
import type { BucketContext } from '../contract/operation.ts'

export const bypassHeader = 'x-amz-bypass-governance-retention'

/** Without the permission, the header has no effect: locked versions stay locked. */
export async function bypassesGovernance(
  { headers, bucket, allows }: BucketContext,
  { key, versionId }: { readonly key: string; readonly versionId?: string },
): Promise<boolean> {
  if (headers.single(bypassHeader)?.trim().toLowerCase() !== 'true') return false
  return allows({
    action: 's3:BypassGovernanceRetention',
    bucket,
    key,
    ...(versionId !== undefined && { versionId }),
  })
}

/** @throws S3Error `InvalidArgument` if the header is sent, with any value, to a bucket without Object Lock. */
export async function refuseNeedlessBypass({ headers, store, bucket, client }: BucketContext): Promise<void> {
  if (!headers.has(bypassHeader)) return
  const { settings } = await store.buckets.head(bucket, { signal: client.signal })
  if (settings?.ObjectLock !== undefined) return
  throw new S3Error('InvalidArgument', `${bypassHeader} is only applicable to Object Lock enabled buckets.`, {
    details: { ArgumentName: bypassHeader },
  })
}
