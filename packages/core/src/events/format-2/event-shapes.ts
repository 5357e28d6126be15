/**
 * The shape of every event that was stored as JSON, as far as computing readable views needs it. Words and the values of
 * settings are not checked here.
 */
import type { DefaultChecksumAlgorithm } from '../../base/checksums.ts'
import { boolean, number, text, word } from '../../schema/scalars.ts'
import type { Reader, Schema } from '../../schema/schema.ts'
import { array, object, optional, pair } from '../../schema/structures.ts'
import { annotationValues } from '../../settings/annotation-schemas.ts'
import { type AnnotationEventType, type AnnotationKind, annotationEventType } from '../../settings/annotation.ts'
import type { SettingEventType, SettingKind } from '../../settings/setting.ts'
import {
  checksum,
  checksumAlgorithm,
  checksumType,
  content,
  creationFields,
  metadata,
  objectFields,
} from './content-shapes.ts'
import type { OldEventType } from './upcast.ts'
import type {
  Actor,
  BucketCreated,
  BucketDeleted,
  BucketSettingRemoved,
  ContentsErased,
  DeleteMarkerAdded,
  Erasure,
  EventLost,
  EventShapes,
  EventType,
  KeyGenerationAdded,
  PartAdded,
  UploadAborted,
  UploadCompleted,
  UploadStarted,
  VersionAdded,
  VersioningSet,
  VersionRemoved,
} from '../event.ts'
import type { VersioningStatus } from '../../settings/versioning.ts'

export const actor: Schema<Actor> = object<Actor>({ id: text(), name: text() })

const inBucket = { bucket: text() }
const inKey = { ...inBucket, key: text() }
const addsVersion = { ...inKey, nullVersion: boolean, replaces: optional(number) }
const owned = { owner: optional(actor) }

const keyGeneration = object<KeyGenerationAdded>({ generation: number, master: text(), wrapped: text() })

const erasure = object<Erasure>({
  freedBy: number,
  index: number,
  content,
  partNumbers: optional(array(number)),
  continues: optional(boolean),
})

/** Any JSON value, but not an absent one. */
const present: Reader<never> = {
  read: (value) => value as never,
  accepts: (value) => value !== undefined && value !== null,
}
const settingSet = object<{ readonly bucket: string; readonly value: unknown }>({
  ...inBucket,
  value: present as Schema<unknown>,
} as never)

const annotationSet = <K extends AnnotationKind>(kind: K) =>
  object<EventShapes[AnnotationEventType<K>]>({
    ...inKey,
    version: number,
    value: optional(annotationValues[kind]),
  } as never)

type JudgedHere = Exclude<OldEventType, SettingEventType | AnnotationEventType>

const shapes: { readonly [T in JudgedHere]: Schema<EventShapes[T]> } = {
  BucketCreated: object<BucketCreated>({ ...inBucket, owner: actor, region: text() }),
  BucketDeleted: object<BucketDeleted>({ ...inBucket, leavesUploads: optional(boolean) }),
  VersioningSet: object<Omit<VersioningSet, 'cause'>>({ ...inBucket, status: word<VersioningStatus>() }),
  BucketSettingRemoved: object<Omit<BucketSettingRemoved, 'cause'>>({ ...inBucket, kind: word<SettingKind>() }),
  VersionAdded: object<Omit<VersionAdded, 'cause'>>({
    ...addsVersion,
    ...objectFields,
    ...owned,
    copiedFrom: optional(object<NonNullable<VersionAdded['copiedFrom']>>({ ...inKey, version: number })),
  }),
  DeleteMarkerAdded: object<Omit<DeleteMarkerAdded, 'cause'>>(addsVersion),
  VersionRemoved: object<Omit<VersionRemoved, 'cause'>>({
    ...inKey,
    version: number,
    deleteMarker: boolean,
    promotes: optional(number),
  }),
  UploadStarted: object<UploadStarted>({
    ...inKey,
    ...creationFields,
    ...owned,
    metadata,
    checksumAlgorithm: optional(checksumAlgorithm),
    checksumType: optional(checksumType),
    defaultChecksumAlgorithm: optional(word<DefaultChecksumAlgorithm>()),
  }),
  PartAdded: object<PartAdded>({
    ...inKey,
    upload: number,
    partNumber: number,
    size: number,
    etag: text(),
    content,
    checksum: optional(checksum),
    defaultChecksum: optional(text()),
    replaces: optional(number),
  }),
  UploadCompleted: object<UploadCompleted>({
    ...addsVersion,
    ...objectFields,
    ...owned,
    upload: number,
    parts: array(pair(number)),
    unused: array(number),
  }),
  UploadAborted: object<UploadAborted>({ ...inKey, upload: number, lastOf: optional(number) }),
  ContentsErased: object<ContentsErased>({ erased: array(erasure) }),
  KeyGenerationAdded: keyGeneration,
  KeyGenerationRewrapped: keyGeneration,
  EventLost: object<EventLost>({
    reason: word<EventLost['reason']>(),
    dependsOn: optional(number),
    bytes: optional(number),
    sha256: optional(text()),
  }),
}

const byType: ReadonlyMap<string, Reader<unknown>> = new Map<string, Reader<unknown>>([
  ...Object.entries(shapes),
  ...(Object.keys(annotationValues) as AnnotationKind[]).map(
    (kind) => [annotationEventType(kind), annotationSet(kind)] as const,
  ),
])

/** Whether views can be computed from an event of this type with this data. */
export const isShapedEvent = (type: EventType, data: unknown): boolean => (byType.get(type) ?? settingSet).accepts(data)
