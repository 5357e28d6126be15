/** The blobs of a store that another process owns, for the processes that read and write them on its behalf. */
import type { BlobId, BlobStore } from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { allowing } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { type DiskReserve, diskReserve } from '../files/disk-reserve.ts'
import { blobPaths } from './blob-paths.ts'
import { diskBlobs } from './disk-blobs.ts'

/** The blobs of a store that another process owns, and the free space that its disk must keep. */
export interface JoinedBlobs {
  readonly blobs: BlobStore
  readonly reserve: DiskReserve
}

/**
 * Only for blobs that are files: then the two processes share nothing but directories. The owner holds the lock
 * meanwhile.
 * @throws StorageError `BlobFailed`
 */
export async function joinBlobs(directory: string, options: { readonly openMax: number }): Promise<JoinedBlobs> {
  const reserve = diskReserve(directory)
  return { blobs: await diskBlobs(directory, { ...options, reserve }), reserve }
}

/** Removes the unfinished blobs that a dead process left behind. */
export async function discardUnfinishedBlobs(
  directory: string,
  ids: readonly BlobId[],
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> {
  const { temporaryOf } = blobPaths(directory)
  await allDone(ids.map((id) => allowing('ENOENT', () => fs.unlink(temporaryOf(id)))))
}
