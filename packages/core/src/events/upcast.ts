/**
 * The one place that knows older shapes of events. When a shape must change, its number in `eventSchema` goes up and
 * a step from the number before is added to `steps`; the stored bytes stay as they are.
 */
import { StorageError } from '../base/errors.ts'
import { type SettingEventType, settingEventType, settingKinds } from '../settings/setting.ts'
import type { EventType, RecordedEvent } from './event.ts'

/** `Bucket…Set` of each kind of setting. No kind has had a second shape. */
const settingEvents = Object.fromEntries(settingKinds.map((kind) => [settingEventType(kind), 1])) as Record<
  SettingEventType,
  number
>

/** Today's schema version of every event. */
export const eventSchema: Readonly<Record<EventType, number>> = {
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

/** The names of all types of events. */
export const eventTypes = Object.keys(eventSchema) as readonly EventType[]

type Step = (data: unknown) => unknown

/** `steps[type][n]` turns data of version n into data of version n + 1. */
export type Steps = Partial<Record<EventType, Readonly<Record<number, Step>>>>

/** The second version of these only adds fields to the first. */
const unchanged: Step = (data) => data

const steps: Steps = {
  BucketDeleted: { 1: unchanged },
  VersionAdded: { 1: unchanged },
  UploadStarted: { 1: unchanged },
  PartAdded: { 1: unchanged },
  UploadCompleted: { 1: unchanged },
  UploadAborted: { 1: unchanged },
}

interface StoredShape extends Omit<RecordedEvent, 'type' | 'data'> {
  readonly type: EventType
  readonly v: number
  readonly data: unknown
}

/**
 * Brings a stored event to today's shape.
 * @throws StorageError `UnsupportedFormat` for an event written by a newer release.
 */
export function upcast(stored: StoredShape, known: Steps = steps): RecordedEvent {
  const { seq, at, by, requestId, prev, type, v } = stored
  if (!Number.isSafeInteger(v)) throw new TypeError('An event without a schema version.')
  const current: number | undefined = Object.hasOwn(eventSchema, stored.type) ? eventSchema[stored.type] : undefined
  if (current === undefined || v > current) {
    throw new StorageError(
      'UnsupportedFormat',
      `The log holds ${stored.type} v${v}, which a newer release wrote: open the store with that release.`,
    )
  }
  let data = stored.data
  for (let version = v; version < current; version++) {
    const step = known[stored.type]?.[version]
    if (step === undefined) throw new StorageError('UnsupportedFormat', `No step from ${stored.type} v${version}.`)
    data = step(data)
  }
  return { seq, at, by, requestId, prev, type, data } as RecordedEvent
}
