/** The parts that a store can be made of: journals, blob stores, hashing, directories. @module */
export type { ConnectionsInUse, DatabaseStatus } from './postgres-journal/connections.ts'
export { createBlobDirectories } from './blobs/create-blob-directories.ts'
export { setBlobsAside } from './blobs/set-aside-blobs.ts'
export { diskBlobs, type DiskBlobsOptions } from './blobs/disk-blobs.ts'
export { directoryWitness } from './shared-witness/directory-witness.ts'
export type { SharedWitness, WitnessedBlobs } from './shared-witness/shared-witness.ts'
export { discardUnfinishedBlobs, joinBlobs, type JoinedBlobs } from './blobs/joined-blobs.ts'
export { type MemoryBlobMedium, memoryBlobs } from './blobs/memory-blobs.ts'
export { nodeCiphers } from './ciphers/node-ciphers.ts'
export { closeAll } from './files/close-all.ts'
export { onMedium, onPath } from './files/errno.ts'
export { readSmallFile, replaceFile, syncDirectory } from './files/durable-files.ts'
export type { FileSystem, OpenFile } from './files/file-system.ts'
export { nodeFileSystem } from './files/node-file-system.ts'
export { assertOwnLinks } from './files/own-links.ts'
/** Functions of `node:fs/promises` that are tried again when they fail for a moment: `EPERM`, `EBUSY`, `EACCES`. */
export * as patientFiles from './files/patient-files.ts'
export { openFilesShares } from './files/open-files.ts'
export { assertReplicaDirectory, type DirectoryReplica, openDirectoryReplica } from './replica/directory-replica.ts'
export { nodePacking } from './replica/node-packing.ts'
export { nodeHashing } from './hashing/node-hashing.ts'
export { ed25519PublicKey, signEd25519, verifyEd25519 } from './signatures/ed25519.ts'
export { threadedHashing } from './hashing/threaded-hashing.ts'
export { type LayoutName, layoutOf, layouts } from './layouts/layout.ts'
export type { LevelDatabase } from './level-journal/level-database.ts'
export { type LevelJournalOptions, levelJournal } from './level-journal/level-journal.ts'
export type { MemoryMedium } from './level-journal/memory-database.ts'
export { memoryJournal, memoryMedium } from './level-journal/memory-journal.ts'
export { type LevelDirectoryOptions, openLevelDirectory } from './level-journal/open-level-directory.ts'
export { openSegmentLog, type SegmentLogOptions } from './segment-log/open-segment-log.ts'
export type { SegmentJournal } from './segment-log/segment-journal.ts'
export type { DirectoryLock } from './store-directory/lock/file-lock.ts'
export type { HeldDirectory } from './store-directory/lock/held-directory.ts'
export { inspectSegments, type InspectedSegments } from './segment-blobs/inspect-segments.ts'
export { segmentBlobs } from './segment-blobs/segment-blobs.ts'
export {
  createTieredDirectories,
  type SegmentedBlobStore,
  tieredBlobs,
  type TieredBlobsOptions,
} from './segment-blobs/tiered-blobs.ts'
export {
  type InspectedDirectory,
  inspectStoreDirectory,
  type InspectOptions,
} from './store-directory/inspect-store-directory.ts'
export {
  dropSeal,
  mendBlobs,
  mendDirectories,
  mendFormat,
  mendWitness,
  replaceJournal,
} from './store-directory/mend-directory.ts'
export { type Quarantine, quarantine } from './store-directory/quarantine.ts'
export {
  openStoreDirectory,
  type StoreDirectory,
  type StoreDirectoryOptions,
} from './store-directory/open-store-directory.ts'
export {
  openReadOnlyDirectory,
  type ReadOnlyDirectory,
  type ReadOnlyDirectoryOptions,
} from './store-directory/open-read-only-directory.ts'
export { privateScratch, removeScratch } from './store-directory/private-scratch.ts'
export { hasStore } from './store-directory/has-store.ts'
export { migrationDirectory } from './store-directory/switch-layout.ts'
export { assertRoomToOpen } from './store-directory/room-to-open.ts'
export { randomIds } from './system/random-ids.ts'
export { systemClock } from './system/system-clock.ts'
export { systemTimer } from './system/system-timer.ts'
export { type S3SourceOptions, s3SourceOptions } from './s3-source/s3-source-options.ts'
