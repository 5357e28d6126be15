/** The directories blobs live in, made once and never later: a write then has one directory entry to make durable. */
import { ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import { type FileSystem, nodeFileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import { blobPaths } from './blob-paths.ts'

/** How many directories are worked on at once. */
const strideMax = 16

/**
 * Makes `blobs/00` to `blobs/ff` and `tmp` below `directory`, which must be there; resolves when all are durable. What
 * is there already stays, so an interrupted call is mended by the next.
 * @throws StorageError `NoSpace` or `BlobFailed`
 */
export async function createBlobDirectories(
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> {
  const { blobs, temporary, shards } = blobPaths(directory)
  await onMedium('BlobFailed', 'Making the directories for blobs', async () => {
    await ensureDirectory(fs, blobs)
    await ensureDirectory(fs, temporary)
    await inTurns(shards, (shard) => ensureDirectory(fs, shard), strideMax)
    await inTurns(shards, (shard) => syncDirectory(fs, shard), strideMax)
    for (const path of [temporary, blobs, directory]) await syncDirectory(fs, path)
  })
}
