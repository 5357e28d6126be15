/** The binary form of the rows of every table: see docs/format.md. */
import { actor } from '../events/actor-form.ts'
import { epoch } from '../events/epoch-form.ts'
import { annotationForms } from '../events/annotation-forms.ts'
import {
  checksum,
  checksumAlgorithm,
  checksumType,
  content,
  creation,
  defaultChecksumAlgorithm,
  metadata,
} from '../events/content-forms.ts'
import type { CreationFacts } from '../events/index.ts'
import { retentionBudget } from '../events/retention-form.ts'
import { settingKind } from '../events/setting-forms.ts'
import { taskFields } from '../events/task-form.ts'
import type { Codec } from '../codec/codec.ts'
import { base64, base64url, count, document, hex, text, word } from '../codec/scalars.ts'
import { fieldsOf, joined, list, nullable, optional, struct } from '../codec/structures.ts'
import { Mismatch } from '../schema/schema.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { Seq } from '../ports/index.ts'
import type { IdentityQuota } from '../settings/quota.ts'
import type { SettingKind } from '../settings/setting.ts'
import type {
  AccessKeyRow,
  ActiveKey,
  IdentityCountRow,
  IdentityNameRow,
  IdentityRow,
  RetiredIdentityRow,
} from './identity-tables.ts'
import type { RowForm } from './row-form.ts'
import type {
  AnnotationRow,
  BlobRow,
  BucketRow,
  ChangeRow,
  CompletionRow,
  DeletedBucketRow,
  BorrowedRow,
  EpochsRow,
  ErasedRow,
  ForkBase,
  GarbageRow,
  HeadRow,
  KeyGenerationRow,
  KeysRow,
  NullRow,
  OwnKeyRow,
  PartRow,
  PastPartRow,
  Pin,
  PinnedByRow,
  PinsRow,
  GraceRow,
  RetentionRow,
  SettingRow,
  ShareRow,
  SnapshotRow,
  TaskRow,
  UnpinnedRow,
  UploadRow,
  WaitingRow,
} from './rows.ts'
import type { HolderRow, OwnerSharedRow, OwnerUsageRow, UploadUsageRow, UsageRow } from './usage-rows.ts'
import { currentForm, pastVersionForm, versionForm } from './version-form.ts'

/** A field that is `true` or absent: its bit says it. */
const isTrue: Codec<true> = {
  write(_to, value) {
    if (value !== true) throw Mismatch.wrongType('true', value)
  },
  read: () => true,
}

/** The number of settings, then for each its kind and the event that set it, in the order of the row. */
const settings: Codec<NonNullable<BucketRow['settings']>> = {
  write(to, value) {
    const set = Object.entries(fieldsOf(value))
    to.count(set.length)
    for (const [kind, setBy] of set) {
      settingKind.write(to, kind as SettingKind)
      count.write(to, setBy as Seq)
    }
  },
  read(from) {
    const set: Partial<Record<SettingKind, Seq>> = {}
    for (let left = from.count(); left > 0; left--) set[settingKind.read(from)] = count.read(from)
    return set
  },
}

const bucket = struct<BucketRow>({
  owner: actor,
  region: text,
  createdAt: count,
  incarnation: count,
  versioning: optional(word<VersioningStatus>('Enabled', 'Suspended')),
  versionedSince: optional(count),
  settings: optional(settings),
  annotated: optional(isTrue),
  restored: optional(isTrue),
  base: optional(struct<ForkBase>({ bucket: text, position: count, incarnation: count, depth: count })),
  dropped: optional(isTrue),
  since: count,
})

const annotation = struct<AnnotationRow>({
  since: count,
  tags: optional(nullable(annotationForms.tags)),
  acl: optional(nullable(annotationForms.acl)),
  retention: optional(nullable(annotationForms.retention)),
  legalHold: optional(nullable(annotationForms.legalHold)),
})

const upload = struct<Omit<UploadRow, keyof CreationFacts>>({
  seq: count,
  over: optional(count),
  at: count,
  owner: actor,
  initiator: optional(actor),
  metadata,
  checksumAlgorithm: optional(checksumAlgorithm),
  checksumType: optional(checksumType),
  defaultChecksumAlgorithm: optional(defaultChecksumAlgorithm),
  epoch: optional(epoch),
})

const part = struct<PartRow>({
  seq: count,
  at: count,
  size: count,
  etag: hex,
  content,
  checksum: optional(checksum),
  defaultChecksum: optional(base64),
})

const change = struct<ChangeRow>({ version: count })

const garbage = struct<GarbageRow>({
  at: count,
  content,
  home: count,
  crossed: optional(isTrue),
  bytes: count,
  since: optional(count),
  pin: optional(count),
  shownBy: optional(list(count)),
})

const snapshot = struct<SnapshotRow>({
  position: count,
  since: count,
  at: count,
  by: actor,
  bucket: optional(text),
  of: count,
  complete: optional(isTrue),
})

const task = struct<TaskRow>({ ...taskFields, since: count, at: count, by: actor })

const identity = struct<IdentityRow>({
  name: text,
  displayName: optional(text),
  email: optional(text),
  policy: optional(text),
  trust: optional(text),
  keys: list(struct<ActiveKey>({ accessKeyId: text, at: count })),
  at: count,
  by: actor,
  since: count,
})

const pin = struct<Pin>({ position: count, of: count, fork: optional(count), until: optional(count) })

const until = struct<{ readonly until: Seq }>({ until: count })

/** Indexed by the first byte of the key, as in `tables.ts`. */
const forms: Readonly<Record<number, RowForm<object>>> = {
  0x01: struct<HeadRow>({ seq: count, at: count, hash: base64url, views: count, partial: optional(isTrue) }),
  0x10: bucket,
  0x11: joined(until, bucket),
  0x12: struct<{ readonly kind: SettingKind; readonly value: unknown }>({
    kind: settingKind,
    value: document,
  }) as RowForm<SettingRow>,
  0x13: struct<DeletedBucketRow>({ bucket: text, incarnation: count }),
  0x14: struct<RetentionRow>({
    since: count,
    keepMs: count,
    budget: optional(retentionBudget),
    follows: optional(isTrue),
    before: optional(struct<GraceRow>({ keepMs: count, budget: optional(retentionBudget), at: count, graceMs: count })),
  }),
  0x15: snapshot,
  0x16: struct<PinsRow>({ pins: list(pin) }),
  0x17: struct<UnpinnedRow>({}),
  0x18: joined(until, bucket),
  0x19: task,
  0x1a: identity,
  0x1b: struct<IdentityNameRow>({ id: text }),
  0x1c: struct<AccessKeyRow>({ identity: text, revoked: optional(count) }),
  0x1d: struct<RetiredIdentityRow>({ removed: count }),
  0x1e: struct<IdentityCountRow>({ count }),
  0x1f: struct<IdentityQuota>({ bytes: optional(count), buckets: optional(count) }),
  0x20: currentForm,
  0x21: versionForm,
  0x22: pastVersionForm,
  0x23: struct<NullRow>({ seq: count }),
  0x24: annotation,
  0x25: joined(until, annotation),
  0x26: change,
  0x27: change,
  0x28: struct<OwnKeyRow>({ since: count }),
  0x29: struct<BorrowedRow>({}),
  0x30: joined(upload, creation),
  0x31: joined(until, upload, creation),
  0x32: part,
  0x33: struct<CompletionRow>({ bucket: text, key: text, version: count, epoch: optional(epoch) }),
  0x34: struct<PastPartRow>({ partNumber: count, until: count }),
  0x40: struct<ShareRow>({
    versions: count,
    freedBy: optional(count),
    home: count,
    since: count,
    crossed: optional(isTrue),
  }),
  0x41: garbage,
  0x42: struct<BlobRow>({ by: count, size: count }),
  0x43: struct<KeysRow>({
    generations: list(struct<KeyGenerationRow>({ generation: count, master: hex, wrapped: base64 })),
  }),
  0x44: struct<WaitingRow>({}),
  0x45: garbage,
  0x46: struct<UsageRow>({
    live: count,
    kept: count,
    pinned: count,
    versions: count,
    uploads: count,
    owner: optional(text),
    newestPin: optional(count),
    shared: optional(count),
    shown: optional(count),
    inherited: optional(count),
  }),
  0x47: struct<UploadUsageRow>({ home: count, bytes: count }),
  0x48: garbage,
  0x49: struct<PinnedByRow>({}),
  0x4a: struct<ErasedRow>({ upTo: count }),
  0x4b: struct<OwnerUsageRow>({ live: count, buckets: count }),
  0x4c: struct<EpochsRow>({ epochs: list(struct<EpochsRow['epochs'][number]>({ since: count, epoch })) }),
  0x4d: struct<HolderRow>({ versions: count }),
  0x4e: struct<OwnerSharedRow>({ bytes: count }),
}

/** The form of the rows of the table that the key belongs to, if there is such a table. */
export const rowFormOf = (key: Uint8Array): RowForm<object> | undefined => forms[key[0] ?? 0]
