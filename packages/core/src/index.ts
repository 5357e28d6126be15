/** The public surface of the core, name by name. */
export type * from './ports/index.ts'
export { defaultKeyName } from './encryption/default-key.ts'
export {
  allowsChecksumType,
  checksumAlgorithms,
  checksumTable,
  defaultChecksumAlgorithm,
  defaultChecksumType,
} from './checksum-algorithms.ts'
export type * from './commands/index.ts'
export type { EncryptionMode, ObjectEncryption } from './settings/encryption.ts'
export type * from './store/types/index.ts'
export { crcChunkBytes } from './events/index.ts'
export { eventTypes } from './events/upcast.ts'
export type {
  Actor,
  BlobContent,
  BlobRef,
  Checksum,
  ChecksumType,
  Content,
  ContentHeaders,
  CreationFacts,
  Event,
  EventShapes,
  EventType,
  ObjectFacts,
  ObjectMetadata,
  RecordedEvent,
  Seal,
  VersioningStatus,
} from './events/index.ts'
export { codeOf, isStorageError, StorageError } from './errors.ts'
export type { EngineErrorCode, ErrorCode, ErrorDetails, S3ErrorCode } from './errors.ts'
export { GrowingBytes } from './bytes/growing-bytes.ts'
export { FairQueue } from './fair-queue.ts'
export { frozen } from './frozen.ts'
export { Gate } from './gate.ts'
export type * from './settings/index.ts'
export { settingKinds } from './settings/index.ts'
export { limits } from './limits.ts'
export { checkBucketName, checkKey } from './names.ts'
export { corsMethods } from './settings/check-cors.ts'
export { isHeaderName } from './settings/header-name.ts'
export { nullVersionId, parseUploadId, parseVersionId, uploadId, versionId } from './version-id.ts'
export { type BlobLike, type Body, checkedBytes } from './content/body.ts'
export type { IdleRead } from './content/open-reads.ts'
export { type Interruptible, interruptible, type Wait } from './content/interruptible.ts'
export { unwrap as unwrapSecret, wrap as wrapSecret } from './encryption/wrapping.ts'
export { checkCopySize } from './store/copy-object.ts'
export { checkReadConditions } from './reads/read-conditions.ts'
export type { Expiration } from './lifecycle/expiration.ts'
export type { LifecycleResult } from './store/lifecycle-run.ts'
export { type NotificationName, notificationNames } from './notifications/event-name.ts'
export type { NotificationRecord } from './notifications/record.ts'
export type { Notification } from './store/notifications.ts'
export { openEngine, openForMaintenance, openForReading } from './store/store.ts'
export type { ClockStatus, StoreTime } from './time/store-clock.ts'
export type { PastStore } from './store/past-store.ts'
export type { OpenOptions, Store } from './store/store.ts'
export { openDesk, type RequestStore } from './store/request-store.ts'
export type { TrackedReads } from './store/tracked-reads.ts'
export type { DeskPorts } from './store/desk.ts'
export type { LogOwner, OwnedLog, StoreState } from './store/log-owner.ts'
export type { BlobMarks } from './content/content-writer.ts'
export type { Cargo } from './store/commit-writer.ts'
export { checkStoreOptions, checkWholeNumber, type StoreOptions, storeOptionFields } from './store/store-options.ts'
export { scrubOptions, verifyFields, verifyOptions } from './store/arguments/log-options.ts'
export { cancelable, optionsOf } from './store/arguments/common.ts'
export * as schema from './schema/index.ts'
export type { Buckets, ReadBuckets } from './store/buckets.ts'
export type { BucketSettings, ReadBucketSettings } from './store/bucket-settings.ts'
export type { AnnotatedVersion, AnnotateOptions } from './store/annotate.ts'
export type { Objects } from './store/objects.ts'
export type { ReadObjects } from './store/read-objects.ts'
export type { ReadVersions, Versions } from './store/versions.ts'
export type { Uploads } from './store/uploads.ts'
export type { UploadPlace } from './store/upload-ids.ts'
export type { Keys } from './store/keys.ts'
export type { Listing } from './store/listing.ts'
export type { Progress } from './store/catch-up.ts'
export type { OpenLogOptions } from './store/open-log.ts'
export type { StorePorts } from './store/ports.ts'
export type { StoreContext } from './store/context.ts'
export type { Authorisation, Place } from './store/authorisation.ts'
export type { SweepResult } from './store/sweeper.ts'
export { copyBlob, type BlobCopy } from './repair/copy-blob.ts'
export { type LostEvent, salvage, type Salvaged, type SalvageOptions } from './repair/salvage.ts'
export { transplant, type NamedBytes, type TransplantOptions, type TransplantStage } from './repair/transplant.ts'
export type { ScrubOptions, ScrubPosition, ScrubProgress, ScrubReport, ScrubStage } from './scrub/scrub.ts'
export { examine } from './verify/examine.ts'
export { isLeftover } from './verify/report.ts'
export type { Divergence, DivergenceKind, Named, VerifyOptions, VerifyReport, VerifyStage } from './verify/report.ts'
export type { ExaminedPorts } from './verify/subject.ts'
export type { Examination } from './verify/verify.ts'
export { viewRange } from './views/tables.ts'
