/**
 * The one place that knows older shapes of events. When a shape must change, its number in `eventSchema` goes up and
 * a step from the number before is added to `steps`; the stored bytes stay as they are.
 */
import { StorageError } from '../errors.ts'
import type { EventType, RecordedEvent } from './event.ts'

/** Today's schema version of every event. */
export const eventSchema = {
  BucketCreated: 1,
  BucketDeleted: 1,
  VersioningSet: 1,
  VersionAdded: 1,
  DeleteMarkerAdded: 1,
  VersionRemoved: 1,
  UploadStarted: 1,
  PartAdded: 1,
  UploadCompleted: 1,
  UploadAborted: 1,
  ContentsErased: 1,
} as const satisfies Record<EventType, number>

type Step = (data: unknown) => unknown

/** `steps[type][n]` turns data of version n into data of version n + 1. */
export type Steps = Partial<Record<EventType, Readonly<Record<number, Step>>>>

const steps: Steps = {}

interface StoredShape {
  readonly type: EventType
  readonly v: number
  readonly data: unknown
}

/**
 * Brings a stored event to today's shape.
 * @throws StorageError `UnsupportedFormat` for an event written by a newer release.
 */
export function upcast(stored: StoredShape, known: Steps = steps): RecordedEvent {
  const { v, ...event } = stored
  if (!Number.isSafeInteger(v)) throw new TypeError('An event without a schema version.')
  const current: number | undefined = Object.hasOwn(eventSchema, stored.type) ? eventSchema[stored.type] : undefined
  if (current === undefined || v > current) {
    throw new StorageError('UnsupportedFormat', `The log holds ${stored.type} v${v}, written by a newer release.`)
  }
  let data = stored.data
  for (let version = v; version < current; version++) {
    const step = known[stored.type]?.[version]
    if (step === undefined) throw new StorageError('UnsupportedFormat', `No step from ${stored.type} v${version}.`)
    data = step(data)
  }
  return { ...event, data } as RecordedEvent
}
