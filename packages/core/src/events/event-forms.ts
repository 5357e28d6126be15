/**
 * The binary form of the data of every event: see docs/format.md. Codes, the order of fields and the order of words are
 * disk format: they are never changed, only added to.
 *
 * To change the fields of an event, append a form to its `versions`. Forms of earlier versions stay, because logs have
 * them.
 */
import { base64, base64url, boolean, count, document, hex, neighbouringText, text, word } from '../codec/scalars.ts'
import { type FormOf, list, nullable, optional, pair, struct, type Struct } from '../codec/structures.ts'
import { type AnnotationEventType, type AnnotationKind } from '../settings/annotation.ts'
import { type SettingEventType, settingEventType, type SettingKind } from '../settings/setting.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import { settingKind, settingOrder } from './setting-forms.ts'
import { actor } from './actor-form.ts'
import { epoch } from './epoch-form.ts'
import { byteRetentionForm } from './retention-form.ts'
import { annotationForms } from './annotation-forms.ts'
import {
  checksum,
  checksumAlgorithm,
  checksumType,
  content,
  creation,
  defaultChecksumAlgorithm,
  facts,
  metadata,
} from './content-forms.ts'
import type { CreationFacts, ObjectFacts } from './content.ts'
import type {
  BucketCreated,
  BucketDeleted,
  BucketForked,
  BucketRestored,
  BucketSettingRemoved,
  Cause,
  ContentsErased,
  DeleteMarkerAdded,
  Erasure,
  ErasedVersion,
  ErasureRequested,
  ErasureStarted,
  EventLost,
  EventShapes,
  EventType,
  ForkCleared,
  ForkDropped,
  ForkReleased,
  KeyGenerationAdded,
  PartAdded,
  PinsSettled,
  RetentionSet,
  SnapshotCreated,
  SnapshotDeleted,
  UploadAborted,
  UploadCompleted,
  UploadStarted,
  VersionAdded,
  VersioningSet,
  VersionRemoved,
  VersionRestored,
} from './event.ts'
import type { BytesHealed } from './bytes-healed.ts'
import type { EpochBegun } from './epoch-begun.ts'
import type {
  AccessKeyAdded,
  AccessKeyRevoked,
  IdentityCreated,
  IdentityPolicySet,
  IdentityQuotaSet,
  IdentityRemoved,
} from './identity-events.ts'
import { accessKey, identityCreated, identityPolicySet, identityQuotaSet, identityRemoved } from './identity-forms.ts'
import type { TaskContinued, TaskEnded, TaskStarted } from './task-events.ts'
import { causeKind, taskFields } from './task-form.ts'

/** The data of one version of an event: the fields of these structures together. */
type VersionForm = readonly Struct<object>[]

interface EventForm<T> {
  /** The first byte of the payload. */
  readonly code: number
  /** From version 1 on. The first one that can express the event is written. */
  readonly versions: readonly [VersionForm, ...VersionForm[]]
  /** Never present. It ties the form to its data. */
  readonly fits?: (data: T) => T
}

const form = <T extends object>(code: number, fields: FormOf<T>): EventForm<T> => ({
  code,
  versions: [[struct(fields)]],
})

const formWith = <A extends object, B extends object>(
  code: number,
  fields: FormOf<A>,
  rest: Struct<B>,
): EventForm<A & B> => ({ code, versions: [[struct(fields), rest]] })

const cause = struct<{ readonly cause: Cause }>({
  cause: struct<Cause>({ kind: causeKind, id: hex, to: count }),
})

/** Version 1 without a cause; version 2 has it in front. */
const caused = <T extends { readonly cause?: Cause }>({
  code,
  versions,
}: EventForm<Omit<T, 'cause'>>): EventForm<T> => ({
  code,
  versions: [versions[0], [cause, ...versions[0]]],
})

/** The number of the version that an event is written in. */
export const writtenVersion = ({ versions }: Pick<EventForm<object>, 'versions'>, data: object): number =>
  versions.length > 1 && (data as { readonly cause?: Cause }).cause === undefined ? 1 : versions.length

const bucketName = neighbouringText()
const inBucket = { bucket: bucketName }
const inKey = { bucket: bucketName, key: text }
const addsVersion = { ...inKey, nullVersion: boolean, replaces: optional(count), owner: optional(actor) }
const keyGeneration = { generation: count, master: hex, wrapped: base64 }

const erasure = struct<Erasure>({
  freedBy: count,
  index: count,
  content,
  partNumbers: optional(list(count)),
  continues: optional(boolean),
})

const garbageNames = list(struct<ErasureStarted['contents'][number]>({ freedBy: count, index: count }))

type SettingForms = { readonly [K in SettingKind as SettingEventType<K>]: EventForm<EventShapes[SettingEventType<K>]> }

const settingForms = Object.fromEntries(
  settingOrder.map((kind, i) => [
    settingEventType(kind),
    caused<{ readonly bucket: string; readonly value: unknown; readonly cause?: Cause }>(
      form<{ readonly bucket: string; readonly value: unknown }>(0x40 + i, { ...inBucket, value: document }),
    ),
  ]),
) as unknown as SettingForms

const annotationForm = <K extends AnnotationKind>(code: number, kind: K) =>
  caused(form(code, { ...inKey, version: count, value: optional(annotationForms[kind]) } as never)) as EventForm<
    EventShapes[AnnotationEventType<K>]
  >

type AddedHere = Exclude<EventType, SettingEventType>

const otherForms: { readonly [T in AddedHere]: EventForm<EventShapes[T]> } = {
  BucketCreated: form<BucketCreated>(0x01, { ...inBucket, owner: actor, region: text }),
  BucketDeleted: form<BucketDeleted>(0x02, { ...inBucket, leavesUploads: optional(boolean) }),
  VersioningSet: caused<VersioningSet>(
    form<Omit<VersioningSet, 'cause'>>(0x03, {
      ...inBucket,
      status: word<VersioningStatus>('Enabled', 'Suspended'),
    }),
  ),
  BucketSettingRemoved: caused<BucketSettingRemoved>(
    form<Omit<BucketSettingRemoved, 'cause'>>(0x04, { ...inBucket, kind: settingKind }),
  ),
  BucketRestored: caused<BucketRestored>(form<Omit<BucketRestored, 'cause'>>(0x05, { ...inBucket, deleted: count })),
  BucketForked: form<BucketForked>(0x06, {
    ...inBucket,
    owner: actor,
    from: text,
    position: optional(count),
    shown: optional(count),
  }),
  ForkDropped: form<ForkDropped>(0x07, { ...inBucket, leavesUploads: optional(boolean) }),
  ForkCleared: form<ForkCleared>(0x08, { ...inBucket, dropped: count }),
  ForkReleased: form<ForkReleased>(0x34, { fork: count }),
  VersionAdded: caused<VersionAdded>(
    formWith<Omit<VersionAdded, keyof ObjectFacts | 'cause'>, ObjectFacts>(
      0x10,
      {
        ...addsVersion,
        copiedFrom: optional(struct<NonNullable<VersionAdded['copiedFrom']>>({ ...inKey, version: count })),
      },
      facts,
    ),
  ),
  DeleteMarkerAdded: caused<DeleteMarkerAdded>(
    form<Omit<DeleteMarkerAdded, 'cause'>>(0x11, { ...inKey, nullVersion: boolean, replaces: optional(count) }),
  ),
  VersionRemoved: caused<VersionRemoved>(
    form<Omit<VersionRemoved, 'cause'>>(0x12, {
      ...inKey,
      version: count,
      deleteMarker: boolean,
      promotes: optional(count),
    }),
  ),
  VersionRestored: caused<VersionRestored>(
    form<Omit<VersionRestored, 'cause'>>(0x13, { ...inKey, version: count, deleteMarker: boolean, removed: count }),
  ),
  ObjectTagsSet: annotationForm(0x18, 'tags'),
  ObjectAclSet: annotationForm(0x19, 'acl'),
  ObjectRetentionSet: annotationForm(0x1a, 'retention'),
  ObjectLegalHoldSet: annotationForm(0x1b, 'legalHold'),
  UploadStarted: formWith<Omit<UploadStarted, keyof CreationFacts>, CreationFacts>(
    0x20,
    {
      ...inKey,
      owner: optional(actor),
      metadata,
      checksumAlgorithm: optional(checksumAlgorithm),
      checksumType: optional(checksumType),
      defaultChecksumAlgorithm: optional(defaultChecksumAlgorithm),
    },
    creation,
  ),
  PartAdded: form<PartAdded>(0x21, {
    ...inKey,
    upload: count,
    partNumber: count,
    size: count,
    etag: hex,
    content,
    checksum: optional(checksum),
    defaultChecksum: optional(base64),
    replaces: optional(count),
  }),
  UploadCompleted: formWith<Omit<UploadCompleted, keyof ObjectFacts>, ObjectFacts>(
    0x22,
    { ...addsVersion, upload: count, parts: list(pair(count)), unused: list(count) },
    facts,
  ),
  UploadAborted: form<UploadAborted>(0x23, { ...inKey, upload: count, lastOf: optional(count) }),
  ContentsErased: form<ContentsErased>(0x28, { erased: list(erasure) }),
  RetentionSet: form<RetentionSet>(0x2c, {
    bucket: optional(text),
    retention: nullable(byteRetentionForm),
    graceMs: optional(count),
  }),
  ErasureStarted: form<ErasureStarted>(0x2b, { contents: garbageNames }),
  SnapshotCreated: form<SnapshotCreated>(0x30, { name: text, position: optional(count), bucket: optional(text) }),
  SnapshotDeleted: form<SnapshotDeleted>(0x31, { name: text }),
  PinsSettled: form<PinsSettled>(0x32, {
    pinned: garbageNames,
    released: garbageNames,
    settled: optional(struct<NonNullable<PinsSettled['settled']>>({ position: count, of: count })),
  }),
  ErasureRequested: form<ErasureRequested>(0x33, {
    ...inBucket,
    versions: list(struct<ErasedVersion>({ key: text, version: count })),
  }),
  TaskStarted: form<TaskStarted>(0x35, taskFields),
  TaskContinued: form<TaskContinued>(0x36, { id: hex, done: count, after: optional(text) }),
  TaskEnded: form<TaskEnded>(0x37, {
    id: hex,
    outcome: word<TaskEnded['outcome']>('done', 'stopped', 'failed'),
    code: optional(text),
  }),
  IdentityCreated: form<IdentityCreated>(0x38, identityCreated),
  IdentityPolicySet: form<IdentityPolicySet>(0x39, identityPolicySet),
  IdentityRemoved: form<IdentityRemoved>(0x3a, identityRemoved),
  AccessKeyAdded: form<AccessKeyAdded>(0x3b, accessKey),
  AccessKeyRevoked: form<AccessKeyRevoked>(0x3c, accessKey),
  IdentityQuotaSet: form<IdentityQuotaSet>(0x3d, identityQuotaSet),
  KeyGenerationAdded: form<KeyGenerationAdded>(0x29, keyGeneration),
  KeyGenerationRewrapped: form<KeyGenerationAdded>(0x2a, keyGeneration),
  EpochBegun: form<EpochBegun>(0x2d, {
    epoch,
    from: struct<EpochBegun['from']>({ seq: count, hash: base64url }),
    reason: word<EpochBegun['reason']>('restored', 'promoted', 'salvaged'),
    source: optional(text),
  }),
  BytesHealed: form<BytesHealed>(0x3e, {
    what: word<BytesHealed['what']>('blob', 'inline', 'key'),
    blob: hex,
    brought: optional(count),
    fault: word<BytesHealed['fault']>('damaged', 'missing'),
    from: text,
  }),
  EventLost: form<EventLost>(0x2f, {
    reason: word<EventLost['reason']>('damaged', 'missing', 'dependent'),
    dependsOn: optional(count),
    bytes: optional(count),
    sha256: optional(base64url),
  }),
}

/** The form of every event. */
export const eventForms: { readonly [T in EventType]: EventForm<EventShapes[T]> } = { ...otherForms, ...settingForms }

/** The names of all types of events. */
export const eventTypes = Object.keys(eventForms) as readonly EventType[]

const typesByCode: ReadonlyMap<number, EventType> = new Map(eventTypes.map((type) => [eventForms[type].code, type]))

/** The type of event with this code, if this release knows it. */
export const typeOfCode = (code: number): EventType | undefined => typesByCode.get(code)
