import { checkObjectSize, checkRoom, loadQuota } from '../reads/quota.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { withRows } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'

/**
 * Refuses a write for which the bucket has no room, before its bytes are read. The rule of the command checks again.
 * @throws StorageError `QuotaExceeded`
 */
export async function assertQuota(
  requests: RequestEngine,
  context: Attempt,
  { name, row }: NamedBucket,
  size = 0,
): Promise<void> {
  if (row.settings?.Quota === undefined) return
  await withRows(
    { requests, context },
    async (_, rows) => {
      const state = await loadQuota(rows, name, row)
      checkObjectSize(state, size)
      checkRoom(state, size)
    },
    { bucket: name },
  )
}
