/** The versions that events had as JSON, and how the data of each version becomes the data of the last one. */
import { StorageError } from '../../base/errors.ts'
import { type SettingEventType, settingEventType, settingKinds } from '../../settings/setting.ts'
import type { EventType, RecordedEvent } from '../event.ts'
import type { IdentityEventType } from '../identity-events.ts'

/** `Bucket…Set` of each kind of setting. All kinds still have their first shape. */
const settingEvents = Object.fromEntries(settingKinds.map((kind) => [settingEventType(kind), 1])) as Record<
  SettingEventType,
  number
>

/** The types of events that those formats had. */
export type OldEventType = Exclude<
  EventType,
  | 'FormatUpgraded'
  | 'ErasureStarted'
  | 'RetentionSet'
  | 'BucketRestored'
  | 'BucketForked'
  | 'ForkDropped'
  | 'ForkCleared'
  | 'ForkReleased'
  | 'VersionRestored'
  | 'SnapshotCreated'
  | 'SnapshotDeleted'
  | 'TaskStarted'
  | 'TaskContinued'
  | 'TaskEnded'
  | 'PinsSettled'
  | 'ErasureRequested'
  | 'EpochBegun'
  | 'BytesHealed'
  | IdentityEventType
>

/** The last schema version of every event. */
export const eventSchema: Readonly<Record<OldEventType, number>> = {
  BucketCreated: 1,
  BucketDeleted: 2,
  VersioningSet: 1,
  ...settingEvents,
  BucketSettingRemoved: 1,
  VersionAdded: 2,
  ObjectTagsSet: 1,
  ObjectAclSet: 1,
  ObjectRetentionSet: 1,
  ObjectLegalHoldSet: 1,
  DeleteMarkerAdded: 1,
  VersionRemoved: 1,
  UploadStarted: 2,
  PartAdded: 2,
  UploadCompleted: 2,
  UploadAborted: 2,
  ContentsErased: 1,
  KeyGenerationAdded: 1,
  KeyGenerationRewrapped: 1,
  EventLost: 1,
}

type Step = (data: unknown) => unknown

/** `steps[type][n]` converts data of version n to version n + 1. */
export type Steps = Partial<Record<EventType, Readonly<Record<number, Step>>>>

/** For events whose second version only adds fields to the first. */
const unchanged: Step = (data) => data

const steps: Steps = {
  BucketDeleted: { 1: unchanged },
  VersionAdded: { 1: unchanged },
  UploadStarted: { 1: unchanged },
  PartAdded: { 1: unchanged },
  UploadCompleted: { 1: unchanged },
  UploadAborted: { 1: unchanged },
}

export interface StoredShape extends Omit<RecordedEvent, 'type' | 'data'> {
  readonly type: OldEventType
  readonly v: number
  readonly data: unknown
}

/**
 * Converts a stored event to its current shape.
 * @throws StorageError `UnsupportedFormat` for an event written by a newer release.
 */
export function upcast(stored: StoredShape, known: Steps = steps): RecordedEvent {
  const { seq, at, by, requestId, prev, type, v } = stored
  if (!Number.isSafeInteger(v)) throw new TypeError('An event without a schema version.')
  const current: number | undefined = Object.hasOwn(eventSchema, stored.type) ? eventSchema[stored.type] : undefined
  if (current === undefined || v > current) {
    throw new StorageError('UnsupportedFormat', `The log holds ${stored.type} v${v}, which a newer release wrote.`, {
      hint: 'Open the store with that release: see `docs/runbooks/upgrade.md`.',
    })
  }
  let data = stored.data
  for (let version = v; version < current; version++) {
    const step = known[stored.type]?.[version]
    if (step === undefined) throw new StorageError('UnsupportedFormat', `No step from ${stored.type} v${version}.`)
    data = step(data)
  }
  return { seq, at, by, requestId, prev, type, data } as RecordedEvent
}
