/** What chosen events did, by place: a key, a setting of a bucket, its versioning, or the bucket itself. */
import type { EventType, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { annotationKindOf, type AnnotationKind } from '../settings/annotation.ts'
import { type SettingKind, settingKindOf } from '../settings/setting.ts'

/** What one event did to a key. */
export type KeyStep =
  | { readonly seq: Seq; readonly did: 'add'; readonly version: Seq; readonly replaces?: Seq }
  | { readonly seq: Seq; readonly did: 'remove' | 'restore'; readonly version: Seq }
  | { readonly seq: Seq; readonly did: 'annotate'; readonly version: Seq; readonly kind: AnnotationKind }

/** What one event did to a setting, to the versioning or to a bucket. */
export interface BucketStep {
  readonly seq: Seq
  readonly type: EventType
}

/** An event that was not chosen. */
export type OtherEvent = Pick<RecordedEvent, 'seq' | 'at' | 'by'>

/** Events that were not chosen, and came after a chosen one. */
export interface Others {
  /** The position of the first of them. */
  readonly first: Seq
  readonly last: OtherEvent
}

/** One place, with the chosen events in order. */
export interface Touched<Step extends { readonly seq: Seq }> {
  readonly steps: Step[]
  others?: Others
}

export type TouchedKey = Touched<KeyStep> & {
  readonly bucket: string
  readonly key: string
  /** What `others` did. */
  readonly otherSteps: KeyStep[]
}
export type TouchedSetting = Touched<BucketStep> & {
  readonly bucket: string
  readonly kind: SettingKind | 'Versioning'
}
export type TouchedBucket = Touched<BucketStep> & { readonly bucket: string }

/** Collects events in the order of the log. */
export class TouchedPlaces {
  readonly keys = new Map<string, TouchedKey>()
  readonly settings = new Map<string, TouchedSetting>()
  readonly buckets = new Map<string, TouchedBucket>()
  /** How many chosen events have no inverse, by type. */
  readonly left = new Map<EventType, number>()
  /** By bucket, the events that were not chosen and created, deleted, dropped or restored it. */
  readonly #others = new Map<string, Others>()
  /** The position of the last chosen event. */
  last: Seq = 0

  choose(event: RecordedEvent): void {
    this.last = event.seq
    const step = keyStepOf(event)
    if (step !== undefined && 'key' in event.data) {
      const { bucket, key } = event.data
      placeIn(this.keys, keyName(bucket, key), () => ({ bucket, key, steps: [], otherSteps: [] })).steps.push(step)
      return
    }
    const { seq, type } = event
    const kind = settingOf(event)
    if (kind !== undefined) this.#setting(event, kind).steps.push({ seq, type })
    else if (isOfBucket(event) && event.type !== 'ForkDropped') {
      const { bucket } = event.data
      placeIn(this.buckets, bucket, () => ({ bucket, steps: [] })).steps.push({ seq, type })
    } else this.left.set(type, (this.left.get(type) ?? 0) + 1)
  }

  /** An event of the undo itself: nothing is left to do in its place. */
  settle(event: RecordedEvent): void {
    const kind = settingOf(event)
    if (isOfBucket(event)) this.buckets.delete(event.data.bucket)
    else if (kind !== undefined) this.settings.delete(settingName(event, kind))
    else if ('key' in event.data) this.keys.delete(keyName(event.data.bucket, event.data.key))
  }

  /** An event that was not chosen. It counts where it comes after a chosen one. */
  pass(event: RecordedEvent): void {
    const kind = settingOf(event)
    if (isOfBucket(event)) {
      const { bucket } = event.data
      this.#others.set(bucket, joined(this.#others.get(bucket), event))
      pass(this.buckets.get(bucket), event)
    } else if (kind !== undefined) {
      pass(this.settings.get(settingName(event, kind)), event)
    } else if ('key' in event.data) {
      const step = keyStepOf(event)
      const touched = this.keys.get(keyName(event.data.bucket, event.data.key))
      if (step === undefined || touched === undefined) return
      pass(touched, event)
      touched.otherSteps.push(step)
    }
  }

  /** The events of others that created, deleted or restored a bucket. */
  othersOfBucket(bucket: string): Others | undefined {
    return this.#others.get(bucket)
  }

  #setting({ data }: RecordedEvent, kind: TouchedSetting['kind']): TouchedSetting {
    const { bucket } = data as { readonly bucket: string }
    return placeIn(this.settings, settingNameOf(bucket, kind), () => ({ bucket, kind, steps: [] }))
  }
}

function pass(touched: Touched<{ readonly seq: Seq }> | undefined, event: RecordedEvent): void {
  if (touched !== undefined) touched.others = joined(touched.others, event)
}

const joined = (others: Others | undefined, { seq, at, by }: RecordedEvent): Others => ({
  first: others?.first ?? seq,
  last: { seq, at, by },
})

/** The names of buckets have neither character. */
export const keyName = (bucket: string, key: string): string => `${bucket}/${key}`
export const settingNameOf = (bucket: string, kind: TouchedSetting['kind']): string => `${bucket}?${kind}`

const settingName = ({ data }: RecordedEvent, kind: TouchedSetting['kind']): string =>
  settingNameOf((data as { readonly bucket: string }).bucket, kind)

function placeIn<P>(places: Map<string, P>, name: string, make: () => P): P {
  const known = places.get(name)
  if (known !== undefined) return known
  const made = make()
  places.set(name, made)
  return made
}

function keyStepOf(event: RecordedEvent): KeyStep | undefined {
  const { seq } = event
  switch (event.type) {
    case 'VersionAdded':
    case 'UploadCompleted':
    case 'DeleteMarkerAdded': {
      const { replaces } = event.data
      return { seq, did: 'add', version: seq, ...(replaces !== undefined && { replaces }) }
    }
    case 'VersionRemoved':
      return { seq, did: 'remove', version: event.data.version }
    case 'VersionRestored':
      return { seq, did: 'restore', version: event.data.version }
    case 'ObjectTagsSet':
    case 'ObjectAclSet':
    case 'ObjectRetentionSet':
    case 'ObjectLegalHoldSet':
      return { seq, did: 'annotate', version: event.data.version, kind: annotationKindOf(event.type) }
    default:
      return undefined
  }
}

/** The place that an event concerns: `undefined` if it has no inverse. */
export function placeOf(event: RecordedEvent): string | undefined {
  const kind = settingOf(event)
  if (kind !== undefined) return settingName(event, kind)
  if (isOfBucket(event)) return event.data.bucket
  return 'key' in event.data ? keyName(event.data.bucket, event.data.key) : undefined
}

function settingOf(event: RecordedEvent): TouchedSetting['kind'] | undefined {
  if (event.type === 'VersioningSet') return 'Versioning'
  return event.type === 'BucketSettingRemoved'
    ? event.data.kind
    : (settingKindOf(event.type) as SettingKind | undefined)
}

const ofBucket = new Set(['BucketCreated', 'BucketForked', 'BucketDeleted', 'ForkDropped', 'BucketRestored'] as const)
type OfBucket = typeof ofBucket extends Set<infer T> ? T : never

const isOfBucket = (event: RecordedEvent): event is RecordedEvent<OfBucket> =>
  (ofBucket as ReadonlySet<EventType>).has(event.type)
