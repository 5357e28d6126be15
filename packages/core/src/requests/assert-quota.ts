import type { Soon } from '../base/soon.ts'
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
 * Refuses a write for which the bucket or its owner has no room, before its bytes are read. The rule of the command checks
 * again. It alone checks in a transaction, which would otherwise depend on all writes that count for the quota; and for
 * bodies into buckets without a quota that are short or of unknown length, so that these read no row more.
 * @throws StorageError `QuotaExceeded`
 */
export function assertQuota(
  requests: RequestEngine,
  context: Attempt,
  { name, row }: NamedBucket,
  { size, key }: Addition,
): Soon<void> {
  const isKnownLong = size !== undefined && size > requests.inlineMax
  if (requests.owner.dependsOnReads === true || (!isKnownLong && row.settings?.Quota === undefined)) return undefined
  return withRows(
    { requests, context },
    async (_, rows) => {
      const state = await loadQuota(rows, name, row)
      checkObjectSize(state, size ?? 0)
      checkRoom(state, size ?? 0)
      if (key === undefined || state?.quota.objects === undefined) return
      checkObjectCount(state, row, await findReplaced(rows, row, name, key))
    },
    { bucket: name, ...(key !== undefined && { key }) },
  )
}
