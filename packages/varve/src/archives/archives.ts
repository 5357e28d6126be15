/** Functions on archives. Their parts are loaded by the first call, and not when a program imports this module. */
import type { Store } from '@varve/core'
import {
  type ArchiveSource,
  type ArchiveTarget,
  checkedExport,
  checkedFolder,
  checkedImport,
  checkedS3,
  checkedStoreExport,
  checkedStoreImport,
  checkedVerify,
  type ExportArchiveOptions,
  type ExportStoreOptions,
  type ImportArchiveOptions,
  type ImportFolderOptions,
  type ImportS3Options,
  type ImportStoreOptions,
  type S3SourceOptions,
  type VerifyArchiveOptions,
} from './archive-arguments.ts'
import type { ExportedStore, ImportingStore } from './archived-store.ts'
import type { ArchiveWritten } from './export-bucket.ts'
import type { StoreArchiveWritten } from './export-store.ts'
import type { ArchiveImported } from './import-archive.ts'
import type { FolderImported } from './import-folder.ts'
import type { StoreImported } from './import-store.ts'
import type { S3Imported } from './import-s3.ts'
import type { ArchiveVerified } from './verify-archive.ts'

/**
 * Writes a bucket to a file or a stream that programs for tar files can open, with a digest of all of it: see
 * docs/archives.md. Objects that are encrypted are decrypted in it. The same state gives the same bytes. A file is
 * complete or not written; a stream is left open.
 * @param store A store of this process, or of another one: see `attachStore`.
 * @throws StorageError `InvalidArgument`, also for a file that is there; `NoSuchBucket`; what `at` throws for the moment, and
 *   what reading the objects throws; `IncompleteBody` for a stream that is closed too early; the errors of the file system and of
 *   the stream: then the archive is not written
 */
export async function exportArchive(
  store: ExportedStore,
  to: ArchiveTarget,
  options: ExportArchiveOptions,
): Promise<ArchiveWritten> {
  const given = checkedExport(store, to, options)
  const module = await import('./export-archive.ts')
  return module.exportArchive(...given)
}

/**
 * Imports an archive of a bucket into a store. Objects get the time and the owner of the import; the versions of an
 * archive with history are added in their order, under new ids. An import that was cut goes on when it is called again,
 * and stores nothing twice. A bucket that is there keeps its settings.
 * @param store A store of this process, or of another one: see `attachStore`.
 * @throws StorageError `ArchiveCorrupt`, `UnsupportedFormat`, `ImportConflict`; `InvalidArgument` for a stream that has other chunks than
 *   bytes; `MomentOutOfRange` for a position after the exported state; `InvalidBucketState` for a history and a
 *   bucket whose versioning is not enabled; what creating the bucket and storing objects throw. What was stored before
 *   stays, and each object of it is whole.
 */
export async function importArchive(
  store: ImportingStore,
  from: ArchiveSource,
  options: ImportArchiveOptions = {},
): Promise<ArchiveImported> {
  const given = checkedImport(store, from, options)
  const module = await import('./import-archive.ts')
  return module.importArchive(...given)
}

/**
 * Writes a whole store to a file or a stream that programs for tar files can open: its log from the first event on, and the bytes
 * that are not erased, encrypted as they are stored. The same state gives the same bytes. A file is complete or not written.
 * @param from A store of this process, or the directory of one. A directory that another process has open is read as it is now.
 * @throws StorageError `InvalidArgument`, also for a file that is there; `MomentOutOfRange`, `NoSuchSnapshot`; `InvalidRequest` for a store
 *   of another process, or one without events; `StoreNotFound`; `LogCorrupt`, `BlobCorrupt`: the store is damaged; `IncompleteBody` for a
 *   stream that is closed too early; the errors of the file system and of the stream: then the archive is not written
 */
export async function exportStore(
  from: Store | string,
  to: ArchiveTarget,
  options: ExportStoreOptions = {},
): Promise<StoreArchiveWritten> {
  const given = checkedStoreExport(from, to, options)
  const module = await import('./export-store.ts')
  return module.exportStore(...given)
}

/**
 * Makes a store of an archive of one, in a directory that is empty or does not exist, or has an import that was cut: then it goes on. The
 * log is the same, with its hashes and version ids, and goes on in an epoch of its own. Nothing opens the directory before all is there.
 * @throws StorageError `ArchiveCorrupt`, `UnsupportedFormat`; `MomentOutOfRange`, `NoSuchSnapshot`; `InvalidArgument` for an archive of
 *   a bucket, a file that cannot be opened, and a directory with another store; `StoreLocked`, `NoSpace`, `BlobFailed`,
 *   `JournalFailed`; the reason of `signal`
 */
export async function importStore(from: string, dir: string, options: ImportStoreOptions = {}): Promise<StoreImported> {
  const given = checkedStoreImport(from, dir, options)
  const module = await import('./import-store.ts')
  return module.importStore(...given)
}

/**
 * Imports the files beneath a directory: the key of an object is the path of the file there, with `/` between its parts.
 * Links are not followed, and empty directories give nothing. An import that was cut goes on when it is called again.
 * @param store A store of this process, or of another one: see `attachStore`.
 * @throws StorageError `InvalidArgument` for what is no directory; `ImportConflict`; `IncompleteBody` for a file that changed
 *   while it was read; what creating the bucket and storing objects throw. What was stored before stays.
 */
export async function importFolder(
  store: ImportingStore,
  dir: string,
  options: ImportFolderOptions,
): Promise<FolderImported> {
  const given = checkedFolder(store, dir, options)
  const module = await import('./import-folder.ts')
  return module.importFolder(...given)
}

/**
 * Imports the objects of a bucket of any server of S3, with their headers, user metadata, tags and storage classes; if the
 * bucket has versioning, every version and delete marker, the oldest of a key first. Settings, locks and ACLs are not
 * imported. An import that was cut goes on when it is called again. Needs the package `@aws-sdk/client-s3`.
 * @param store A store of this process, or of another one: see `attachStore`.
 * @throws StorageError `SourceFailed` for errors of the server, with its code as `details.kind`; `ImportConflict`;
 *   `InvalidBucketState` for versions and a bucket whose versioning is not enabled; `UnsupportedFormat` (`details.kind` is
 *   `package`) without the package; what creating the bucket and storing objects throw. What was stored before stays.
 */
export async function importS3(
  store: ImportingStore,
  from: S3SourceOptions,
  options: ImportS3Options = {},
): Promise<S3Imported> {
  const given = checkedS3(store, from, options)
  const module = await import('./import-s3.ts')
  return module.importS3(...given)
}

/**
 * Reads a whole archive, and checks that it is complete and as it was written: the digest of each content and of the
 * whole, the order and the paths of the members, and their numbers. Needs little memory for an archive of any size.
 * @throws StorageError `ArchiveCorrupt` for the first fault; `UnsupportedFormat` for an archive of a newer release;
 *   `InvalidArgument` for a file that cannot be opened, and a stream that has other chunks than bytes
 */
export async function verifyArchive(from: ArchiveSource, options: VerifyArchiveOptions = {}): Promise<ArchiveVerified> {
  const given = checkedVerify(from, options)
  const module = await import('./verify-archive.ts')
  return module.verifyArchive(...given)
}
