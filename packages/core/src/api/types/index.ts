/** The types of the store's API. Times are `Date`s, sizes are in bytes, ETags have no quotes. */
export type {
  EraseEntry,
  EraseRefusal,
  EraseRequest,
  EraseResult,
  EraseUploadEntry,
  EraseVersionEntry,
  RefusedEraseEntry,
} from './erase.ts'
export type { Cancelable } from './cancelable.ts'
export type { Parted } from './parted.ts'
export type { PromoteOptions, Promotion } from './promotion.ts'
export type { EmptiedBucket, EmptyBucketOptions, Removal, RemovalOptions } from './removal.ts'
export type { BucketInfo, CreateBucketOptions, ForkOptions } from './bucket-info.ts'
export type {
  BucketChange,
  DiffedVersion,
  DiffEntry,
  DiffOptions,
  DiffPage,
  DiffScope,
  ObjectAspect,
  ObjectDiff,
  SettingDifference,
} from './diff.ts'
export type {
  AccessKeyInfo,
  CreatedIdentity,
  IdentityCredentials,
  IdentityInfo,
  IdentityOptions,
  IdentityPolicies,
  IdentityUsage,
} from './identities.ts'
export type { ReceiptOption, WithReceipt } from './receipts.ts'
export type {
  Checkpoint,
  CosignedCheckpoint,
  EventProofOptions,
  LogConsistency,
  NewLogKey,
  ProofRequest,
  VersionProof,
} from './proofs.ts'
export type { MergeConflict, MergeRequest, MergeResult } from './merge.ts'
export type { RestoreEntry, RestoreRequest, RestoreResult, RestoredSetting } from './restore.ts'
export type {
  UndoConflict,
  UndoEntry,
  UndoneBucket,
  UndoneKey,
  UndoneSetting,
  UndoRequest,
  UndoResult,
} from './undo.ts'
export type { TransactionOptions } from './transaction.ts'
export type { KeyspaceCommit, KeyspaceOptions, KeyspaceRangeOptions, KeyspaceRow } from './keyspaces.ts'
export type { ProjectedState, ProjectionRangeOptions } from './projections.ts'
export type { SubscriptionOptions } from './subscriptions.ts'
export type { PrefixUsage, PrefixUsageOptions, PrefixUsagePage } from './prefix-usage.ts'
export type { DensityOptions, DensitySlice } from './density.ts'
export type { LogPage, LogPageOptions } from './log-page.ts'
export type { LogOptions, LogSpan, NotificationOptions } from './log-options.ts'
export type {
  CreationOptions,
  EncryptionInfo,
  EncryptionRequest,
  KeyGenerationInfo,
  ReadsEncrypted,
  ReadsFacts,
} from './encryption.ts'
export type {
  ByteChecks,
  ChecksumRequest,
  CopyOptions,
  CopyResult,
  CopySource,
  DeleteOptions,
  DeleteOutcome,
  DeleteResult,
  DeleteTarget,
  MetadataOptions,
  PutOptions,
  PutResult,
  ReceivingOptions,
} from './writes.ts'
export type {
  AttributeOptions,
  GetOptions,
  HeadOptions,
  ObjectAttributes,
  ObjectContent,
  ObjectInfo,
  ObjectPart,
  ObjectPartPage,
  ObjectPartPageOptions,
  RangeRequest,
  ReadConditions,
} from './reads.ts'
export type {
  CommonPrefix,
  ListOptions,
  ListedMarker,
  ListedObject,
  ListedVersion,
  ObjectPage,
  ObjectPageOptions,
  Page,
  PageOptions,
  VersionPage,
  VersionPageOptions,
} from './listings.ts'
export type {
  CompleteOptions,
  CreateUploadOptions,
  ListedUpload,
  PartCopySource,
  PartInfo,
  PartPage,
  PartPageOptions,
  PartResult,
  UploadInfo,
  UploadPage,
  UploadPageOptions,
  UploadPartOptions,
  UploadRef,
} from './upload-info.ts'
