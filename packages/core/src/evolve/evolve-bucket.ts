/** A bucket's configuration as its events make it. */
import { produce } from 'immer'
import type { RecordedEvent } from '../events/index.ts'
import type { BucketRow } from '../views/rows.ts'

export type BucketEvent = RecordedEvent<'BucketCreated' | 'BucketDeleted' | 'VersioningSet'>

export function evolveBucket(bucket: BucketRow | undefined, event: BucketEvent): BucketRow | undefined {
  switch (event.type) {
    case 'BucketCreated':
      return { owner: event.data.owner, region: event.data.region, createdAt: event.at, since: event.seq }
    case 'BucketDeleted':
      return undefined
    case 'VersioningSet':
      return produce(bucket, (draft) => {
        if (draft === undefined) return
        draft.versioning = event.data.status
        draft.since = event.seq
      })
  }
}
