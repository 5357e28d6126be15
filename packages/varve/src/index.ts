/** Opens a store in this process: the API for programs that embed a store. @module */
export type * from './types.ts'
/** @deprecated The name of `Store` in 0.1. */
export type { Store as VarveStore } from '@varve/core'
export { defineProjection, isStorageError, limits, observerErrors, StorageError } from '@varve/core'
export type {
  ArchiveSource,
  ArchiveTarget,
  ExportArchiveOptions,
  ImportArchiveOptions,
  ImportFolderOptions,
  ImportS3Options,
  S3SourceOptions,
  VerifyArchiveOptions,
} from './archives/archive-arguments.ts'
export type { ExportedStore, ImportingStore } from './archives/archived-store.ts'
export {
  exportArchive,
  exportStore,
  importArchive,
  importFolder,
  importS3,
  importStore,
  verifyArchive,
} from './archives/archives.ts'
export type { ArchiveWritten } from './archives/export-bucket.ts'
export type { StoreArchiveWritten } from './archives/export-store.ts'
export type { StoreImported } from './archives/import-store.ts'
export type { ArchiveImported } from './archives/import-archive.ts'
export type { LeftOut, LeftOutFile } from './archives/folder-entries.ts'
export type { FolderImported } from './archives/import-folder.ts'
export type { S3Imported } from './archives/import-s3.ts'
export type { ArchiveVerified, BucketArchiveVerified, StoreArchiveVerified } from './archives/verify-archive.ts'
export { attachStore } from './attached/attach-store.ts'
export type * from './attached/types.ts'
export { createKeyring } from './keyring/create-keyring.ts'
export type { KeyMaterial } from './keyring/key-material.ts'
export { loadKeyringFile } from './keyring/keyring-file.ts'
export { file } from './bodies/file.ts'
export { type IdentifiedVersion, parseVersionId, versionIdOf } from './ids/version-ids.ts'
export type { CheckedVersion } from './proofs/check-proof.ts'
export { checkCheckpoint, checkErasureReceipt, checkLogConsistency, checkProof } from './proofs/proofs.ts'
export { memoryStore } from './store/memory-store.ts'
export type {
  MigrateStoreOptions,
  MigrationStage,
  RepairStoreOptions,
  SalvageStoreOptions,
  VerifyStoreOptions,
} from './maintenance/directory-arguments.ts'
export type { MigrationReport } from './maintenance/migrate-store.ts'
export { migrateStore, repairStore, salvageStore, verifyStore } from './maintenance/closed-stores.ts'
export type {
  BackUpOptions,
  InspectReplicaOptions,
  RestoreStoreOptions,
  VerifyReplicaOptions,
} from './backups/replica-arguments.ts'
export type { ReplicaFailure, ReplicaGap, ReplicaSettings } from './replicas/replica-settings.ts'
export type { FollowSettings } from './replicas/follow-settings.ts'
export type { ReplicaReport } from './backups/read-replicas.ts'
export type { RestoreReport } from './backups/restore-log.ts'
export type { BackUpReport } from './backups/back-up-directory.ts'
export { backUpStore, inspectReplica, restoreStore, verifyReplica } from './backups/replicas.ts'
export type { UsedReplica } from './backups/used-replicas.ts'
export type { StoreParts } from './store/open-on-parts.ts'
export { openStore } from './store/open-store.ts'
export { type LayoutName, layouts } from '@varve/adapters'
export type { RepairReport } from './maintenance/repair-store.ts'
export type { SalvageReport } from './maintenance/salvage-store.ts'
export type { ScrubSettings } from './jobs/scrub-schedule.ts'
export type { FileCheck } from './store/file-check.ts'
export type {
  MemoryStoreOptions,
  OpenProgress,
  OpenStoreOptions,
  PartsStoreOptions,
} from './store/store-options.ts'
export { toFile, type ToFileOptions } from './bodies/to-file.ts'
export { toReadable } from './bodies/to-readable.ts'
export { loadWebhookFile } from './webhooks/webhook-file.ts'
export type { Webhook } from './webhooks/webhook.ts'
