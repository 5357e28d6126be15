/** The public surface of the core. @module */
export type * from './ports/index.ts'
export { defaultKeyName } from './encryption/default-key.ts'
export {
  allowsChecksumType,
  checksumAlgorithms,
  checksumTable,
  defaultChecksumAlgorithm,
  defaultChecksumType,
} from './base/checksums.ts'
export type * from './commands/index.ts'
export type { EncryptionMode, ObjectEncryption } from './settings/encryption.ts'
export type * from './api/types/index.ts'
export { crcChunkBytes } from './bytes/crc-chunks.ts'
export { checkDataKey } from './content/check-content.ts'
export { dataKeyRow } from './encryption/data-key-row.ts'
export { encodeEvent, type DecodedEvent } from './events/event-codec.ts'
export { eventTypes } from './events/event-forms.ts'
export { tipAt } from './events/log.ts'
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
} from './events/index.ts'
export type { VersioningStatus } from './settings/versioning.ts'
export { codeOf, isStorageError, StorageError } from './base/errors.ts'
export { systemHintOf } from './base/hints.ts'
export type { EngineErrorCode, ErrorCode, ErrorDetails, S3ErrorCode } from './base/errors.ts'
export { type InOnePiece, onePiece, onePieceMax } from './content/one-piece.ts'
export { GrowingBytes } from './bytes/growing-bytes.ts'
export { bytesInWord, decodeHeaderText, decodeWords, textOfHeaderBytes } from './bytes/header-text.ts'
export { FairQueue } from './scheduling/fair-queue.ts'
export { frozen } from './base/frozen.ts'
export { Gate } from './scheduling/gate.ts'
export { Stays } from './base/stays.ts'
export type {
  AccessControlList,
  AclGroup,
  AclPermission,
  Annotation,
  AnnotationKind,
  AnnotationValues,
  Annotations,
  BucketEncryption,
  BucketQuota,
  CorsRule,
  Grant,
  Grantee,
  IdentityQuota,
  LifecycleConfiguration,
  LifecycleExpiration,
  LifecycleFilter,
  LifecycleRule,
  LifecycleTransition,
  LoggingConfiguration,
  NotificationConfiguration,
  NotificationTarget,
  NotificationTargetKind,
  ObjectLockConfiguration,
  ObjectOwnership,
  PublicAccessBlock,
  Retention,
  RetentionMode,
  Setting,
  SettingKind,
  SettingValues,
  Tag,
  WebsiteConfiguration,
  WebsiteRedirect,
  WebsiteRoutingRule,
} from './settings/index.ts'
export { settingKinds } from './settings/index.ts'
export type { Epoch, EventPlace } from './base/epoch.ts'
export { limits } from './base/limits.ts'
export { type AsOfName, parseAsOfName } from './moments/as-of-name.ts'
export { type LocalClock, parseLocalMoment } from './moments/local-moment.ts'
export { type Moment, parseMoment } from './moments/moment.ts'
export { checkBucketName, checkKey } from './naming/names.ts'
export { corsMethods } from './settings/check-cors.ts'
export { isHeaderName } from './settings/header-name.ts'
export { nullVersionId, parseUploadId, parseVersionId, uploadId, versionId } from './naming/version-id.ts'
export { type BlobLike, type Body, checkedBytes } from './content/body.ts'
export type { IdleRead } from './content/open-reads.ts'
export { type Interruptible, interruptible, type Wait } from './content/interruptible.ts'
export { onAbort } from './base/on-abort.ts'
export { unwrap as unwrapSecret, wrap as wrapSecret } from './encryption/wrapping.ts'
export { checkCopySize } from './requests/find-source.ts'
export { checkReadConditions } from './reads/read-conditions.ts'
export type { Expiration } from './lifecycle/expiration.ts'
export type { LifecycleResult } from './jobs/lifecycle-run.ts'
export { type NotificationName, notificationNames } from './notifications/event-name.ts'
export type { NotificationRecord } from './notifications/record.ts'
export type { Notification } from './api/notifications.ts'
export { beginEpoch, type BeginEpochOptions, newEpoch } from './api/begin-epoch.ts'
export {
  openEngine,
  openFollower,
  type FollowerStore,
  openForMaintenance,
  openForReading,
  type OpenOptions,
  sweepOrphans,
} from './api/open-engine.ts'
export type { ClockStatus, StoreTime } from './time/store-clock.ts'
export type { PastStore } from './api/past-store.ts'
export type { Store } from './api/store.ts'
export type { StoreHome } from './api/opened.ts'
export type { StoreEventListeners, StoreEventName, StoreEvents } from './api/store-events.ts'
export { callListener, listenerErrorText } from './base/call-listener.ts'
export { backedBlobs, openBacked } from './filling/backed-blobs.ts'
export { type BlobFilling, fillBlobs } from './filling/fill-blobs.ts'
export { JoinedReplicas, type NamedReplica } from './replication/joined-replicas.ts'
export { ReplicaCopy } from './replication/replica-copy.ts'
export { ReplicaReader, type ReplicaPorts } from './replication/replica-reader.ts'
export { readReplicaState, type ReplicaState } from './replication/replica-state.ts'
export { isStorageClass } from './settings/storage-class.ts'
export { type Claim, newestClaim } from './replication/terms.ts'
export { momentIn } from './replication/replica-moment.ts'
export { restoreReplica } from './replication/restore-replica.ts'
export { ownPort } from './checked-ports/own-ports.ts'
export { LostWatch } from './replication/lost-watch.ts'
export { Follower, type FollowerOptions, promoteAlone, type Promoted } from './replication/follower.ts'
export {
  arriveToFollow,
  emptyReplica,
  type FollowingArrival,
  notBegun,
} from './replication/arrive-to-follow.ts'
export { AbsentBytes } from './replication/absent-bytes.ts'
export { checkedBlob } from './replication/checked-blob.ts'
export { type AbsentFromCopy, explainAbsent } from './replication/lost-bytes.ts'
export { type LogPiece, logPieces, pieceName, type PieceStart, ReadPiece } from './replication/log-pieces.ts'
export { MomentSeeker, positionOfMoment } from './replication/moment-seeker.ts'
export { type ReplicaFinding, type ReplicaVerified, verifyReplica } from './replication/verify-replica.ts'
export { decryptedReplica, type ReplicaEncryption } from './replication/encrypted-replica.ts'
export { ReplicaErasure } from './replication/replica-erasure.ts'
export { ReplicaOrphans } from './replication/replica-orphans.ts'
export { ReplicaUpkeep } from './replication/replica-upkeep.ts'
export { ReplicaViews } from './replication/replica-views.ts'
export { viewsOf } from './replication/stored-views.ts'
export { withholdErased } from './replication/withhold-erased.ts'
export type { StoreCommit } from './engine/known-log.ts'
export { LiveParts } from './replication/live-parts.ts'
export { type Copied, type Replication, Replicator } from './replication/replicator.ts'
export type { JobName } from './jobs/job-name.ts'
export { JobPlaces } from './jobs/job-places.ts'
export type { Jobs, JobStatus } from './jobs/jobs.ts'
export { type JobPins, type ReplicaPin, ReplicaPins } from './jobs/replica-pins.ts'
export { openRequestStore, type RequestStore } from './api/request-store.ts'
export type { BucketWithSettings, TrackedReads } from './api/tracked-reads.ts'
export type { RequestPorts } from './requests/request-engine.ts'
export type { EngineStatus, LogService, OwnedLog, StoreState } from './requests/log-service.ts'
export type { SharingStatus } from './sharing/sharing.ts'
export { type HeldBytes, HeldRows } from './requests/held-rows.ts'
export type { Soon } from './base/soon.ts'
export { rowHash } from './views/row-hash.ts'
export type { RowHolder } from './views/row-holders.ts'
export type { BlobMarks } from './content/content-writer.ts'
export type { SideRows } from './requests/log-service.ts'
export { checkStoreOptions, checkWholeNumber, type StoreOptions, storeOptionFields } from './engine/store-options.ts'
export { scrubOptions, verifyFields } from './api/arguments/log-options.ts'
export { verifyOptions } from './api/arguments/verify-options.ts'
export { cancelable, optionsOf } from './api/arguments/common.ts'
export { Observing, type ObservingOptions } from './observing/observing.ts'
export { observer } from './observing/observer-schema.ts'
export { folded } from './naming/namesakes.ts'
export { observerErrors } from './observing/observer-errors.ts'
/** Checks values from outside against schemas. */
export * as schema from './schema/index.ts'
/** Checks the arguments of the calls of a store, for calls that are carried to another process. */
export * as callArguments from './api/call-arguments.ts'
export type { Buckets, ReadBuckets } from './api/buckets.ts'
export type { BucketSettings, ReadBucketSettings } from './api/bucket-settings.ts'
export type { AnnotatedVersion, AnnotateOptions } from './requests/annotate.ts'
export type { Receipts } from './requests/receipts.ts'
export type { Objects } from './api/objects.ts'
export type { ReadObjects } from './api/read-objects.ts'
export type { ReadVersions, Versions } from './api/versions.ts'
export type { Transaction } from './api/transaction.ts'
export type { Uploads } from './api/uploads.ts'
export type { UploadPlace } from './requests/upload-ids.ts'
export type { Identities } from './api/identities.ts'
export { type IdentityEventType, isIdentityEvent } from './events/identity-events.ts'
export type { Keys } from './api/keys.ts'
export type { OfBucket, RetentionChange, RetentionPlan, RetentionState, StoreRetention } from './api/retention.ts'
export type { SnapshotInfo, SnapshotOptions, Snapshots } from './api/snapshots.ts'
export type { TaskInfo, Tasks } from './api/tasks.ts'
export type { StoreUsage } from './api/usage.ts'
export {
  type ByteRetention,
  defaultRetention,
  type RetentionBudget,
  retentionBudgetFields,
} from './settings/byte-retention.ts'
export { contentHeaderFields } from './events/content-header-schemas.ts'
export type { Keyspace, Keyspaces } from './api/keyspaces.ts'
export type { KeyspaceState } from './keyspaces/header.ts'
export type { KeyspaceInfo } from './keyspaces/keyspace-set.ts'
export type { Reducer, ReducerRows } from './keyspaces/reducer.ts'
export type { Listing } from './api/listing.ts'
export { defineProjection, type OpenProjection, type Projections } from './api/projections.ts'
export type { Proofs } from './api/proofs.ts'
export type { Cosignature } from './proofs/cosignature.ts'
export {
  type CheckedCheckpoint,
  type CheckedConsistency,
  type CheckedProof,
  checkCheckpoint,
  checkConsistency,
  checkInclusion,
  type ConsistencyToCheck,
  type TrustedKeys,
} from './proofs/check-proof.ts'
export type { DamagedBytes } from './content/damaged-bytes.ts'
export { type CheckedErasure, checkErasure } from './proofs/check-erasure.ts'
export type { ProvenErasedUpload } from './proofs/erased-uploads.ts'
export type { ProvenErasedVersion, ProvenErasureRequest } from './proofs/erasure-facts.ts'
export { isErasureReceipt } from './proofs/erasure-file.ts'
export type { ErasureReceipt } from './proofs/prove-erasure.ts'
export { type CheckedContent, checkContent } from './proofs/content-check.ts'
export type { LogKey } from './proofs/log-signing.ts'
export { isConsistencyProof, isInclusionProof, parseProof } from './proofs/proof-file.ts'
export { isKeyName, type NoteChecks, type VerifySignature } from './proofs/signed-note.ts'
export type { Projection, ProjectionHandler } from './projections/projection.ts'
export type { ProjectionState } from './projections/projection-runner.ts'
export type { ProjectionInfo } from './projections/projection-set.ts'
export type { Subscriptions } from './api/subscriptions.ts'
export type { EventFilter } from './following/event-filter.ts'
export type { SubscriptionInfo, SubscriptionLease } from './following/subscription-set.ts'
export type { SubscriptionBatch } from './following/walk-batches.ts'
export type { Progress } from './engine/catch-up.ts'
export type { OpenLogOptions } from './engine/open-log.ts'
export type { StorePorts } from './engine/store-ports.ts'
export type { StoreContext } from './requests/request-context.ts'
export type { Authorisation, Place } from './requests/authorisation.ts'
export type { FoundDamage } from './scrub/found-damage.ts'
export type { SweepResult } from './jobs/sweeper.ts'
export { mendLog, type MendedLog } from './repair/mend-log.ts'
export type { EventSource, MendedRun } from './repair/mended-journal.ts'
export { rememberedEnds } from './verify/remembered-ends.ts'
export { copyBlob, type BlobCopy } from './repair/copy-blob.ts'
export type { Brought, BroughtBlob } from './events/brought-blob.ts'
export type { SideRowKind } from './ports/index.ts'
export type { LogCopied, LogCopy } from './repair/copy-log.ts'
export { type CopiedParts, journalSource, type LogSource } from './repair/log-source.ts'
export { readBlob } from './content/blob-reader.ts'
export { RunBuffers } from './content/run-buffers.ts'
export { endPassage, passageOf } from './sharing/passage.ts'
export { handOver, isAtRest, openedParts, tapCommits } from './moving/hand-over.ts'
export { unseenBlobs } from './views/unseen-blobs.ts'
export { copyStore, type StoreCopied } from './moving/copy-store.ts'
export { moveLog } from './moving/move-log.ts'
export type { LogMove, LogMoved, MoveSource, MoveTarget } from './moving/places.ts'
export { isBlobThere } from './repair/is-blob-there.ts'
export { type LostEvent, salvage, type Salvaged, type SalvageOptions } from './repair/salvage.ts'
export {
  transplant,
  type NamedBytes,
  type Transplanted,
  type TransplantOptions,
  type TransplantStage,
} from './repair/transplant.ts'
export type { ScrubOptions, ScrubPosition, ScrubProgress, ScrubReport, ScrubStage } from './scrub/scrub.ts'
export { examine } from './verify/examine.ts'
export { isLeftover } from './verify/report.ts'
export type { Divergence, DivergenceKind, Named, VerifyOptions, VerifyReport, VerifyStage } from './verify/report.ts'
export type { ExaminedPorts } from './verify/subject.ts'
export type { Examination } from './verify/verify.ts'
export { viewRange } from './views/tables.ts'
