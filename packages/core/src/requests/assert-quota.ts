import { checkObjectCount, checkObjectSize, checkRoom, loadQuota } from '../reads/quota.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { findReplaced } from '../views/find-version.ts'
import { withRows } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'

/** What a write adds, as far as it is known before its bytes are read. */
interface Addition {
  /** @default 0 */
  readonly size?: number | undefined
  /** Present if the write adds a version of this key. */
  readonly key?: string
}

/**
 * Refuses a write for which the bucket or its owner has no room, before its bytes are read. The rule of the command checks again.
 * @throws StorageError `QuotaExceeded`
 */
export async function assertQuota(
  requests: RequestEngine,
  context: Attempt,
  { name, row }: NamedBucket,
  { size = 0, key }: Addition,
): Promise<void> {
  await withRows(
    { requests, context },
    async (_, rows) => {
      const state = await loadQuota(rows, name, row)
      checkObjectSize(state, size)
      checkRoom(state, size)
      if (key === undefined || state?.quota.objects === undefined) return
      checkObjectCount(state, row, await findReplaced(rows, row, name, key))
    },
    { bucket: name, ...(key !== undefined && { key }) },
  )
}
