/** Facts of a bucket that clients of Tigris read from the headers of HeadBucket. */

import type { BucketInfo } from '@varve/core'
import type { BucketContext } from '../contract/operation.ts'

export const enableHeader = 'x-tigris-enable-snapshot'
export const sourceHeader = 'x-tigris-fork-source-bucket'
export const sourceVersionHeader = 'x-tigris-fork-source-bucket-snapshot'

type FactsContext = Pick<BucketContext, 'bucket' | 'at' | 'options' | 'allows'>

/** Where a fork comes from is part of its past. */
export async function tigrisFacts(
  { bucket, at, options, allows }: FactsContext,
  { base }: BucketInfo,
): Promise<Readonly<Record<string, string>>> {
  const snapshots: Readonly<Record<string, string>> = options.hasSnapshots ? { [enableHeader]: 'true' } : {}
  if (base === undefined) return snapshots
  const mayLookBack = await allows({ action: 'varve:ReadHistory', bucket, ...(at !== undefined && { at }) })
  if (!mayLookBack) return snapshots
  return { ...snapshots, [sourceHeader]: base.bucket, [sourceVersionHeader]: String(base.seq) }
}
