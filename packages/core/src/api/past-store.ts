import type { Moment } from '../moments/moment.ts'
import type { Seq } from '../ports/index.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { type ReadBuckets, readBuckets } from './buckets.ts'
import { type ReadObjects, readObjects } from './read-objects.ts'
import { type ReadVersions, readVersions } from './versions.ts'

/** The store as it was after one event. Read-only. */
export interface PastStore {
  readonly seq: Seq
  readonly buckets: ReadBuckets
  readonly objects: ReadObjects
  readonly versions: ReadVersions
}

export async function pastStore(requests: RequestEngine, context: StoreContext, moment: Moment): Promise<PastStore> {
  requests.owner.assertOpen()
  const at = await requests.owner.positionOf(moment)
  const scope = { requests, context, at }
  const past = readObjects(scope)
  return { seq: at, buckets: readBuckets(scope), objects: past, versions: readVersions(scope, past) }
}
