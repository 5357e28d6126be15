/** Computes a bucket's configuration from its events. */
import { produce } from 'immer'
import type { RecordedEvent } from '../events/index.ts'
import { type SettingEventType, type SettingKind, settingKindOf } from '../settings/setting.ts'
import type { BucketRow } from './rows.ts'

export type SettingEvent = RecordedEvent<SettingEventType>
export type BucketEvent =
  | SettingEvent
  | RecordedEvent<
      'BucketCreated' | 'BucketDeleted' | 'ForkDropped' | 'BucketRestored' | 'VersioningSet' | 'BucketSettingRemoved'
    >

/** `bucket`: the row before; for `BucketRestored`, the last one before the bucket was deleted. */
export function evolveBucket(bucket: BucketRow | undefined, event: BucketEvent): BucketRow | undefined {
  switch (event.type) {
    case 'BucketCreated':
      return {
        owner: event.data.owner,
        region: event.data.region,
        createdAt: event.at,
        incarnation: event.seq,
        since: event.seq,
      }
    case 'BucketDeleted':
    case 'ForkDropped':
      return undefined
    case 'BucketRestored':
      return bucket && { ...bucket, since: event.seq }
    case 'VersioningSet':
      return produce(bucket, (draft) => {
        if (draft === undefined) return
        draft.versioning = event.data.status
        draft.versionedSince ??= event.seq
        draft.since = event.seq
      })
    case 'BucketSettingRemoved': {
      const { kind } = event.data
      return produce(bucket, (draft) => {
        if (draft?.settings === undefined) return
        delete draft.settings[kind]
        if (Object.keys(draft.settings).length === 0) delete draft.settings
        draft.since = event.seq
      })
    }
    default: {
      const kind = settingKindOf(event.type) as SettingKind
      return produce(bucket, (draft) => {
        if (draft === undefined) return
        draft.settings = { ...draft.settings, [kind]: event.seq }
        draft.since = event.seq
      })
    }
  }
}

export const isSettingEvent = (event: RecordedEvent): event is SettingEvent => settingKindOf(event.type) !== undefined
