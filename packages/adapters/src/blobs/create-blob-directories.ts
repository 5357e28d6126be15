/** Creates the directories of blobs once, with the store: a write then has only one directory entry to make durable. */
import { ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import { type FileSystem, nodeFileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import { blobPaths } from './blob-paths.ts'

/** How many directories are created or synced at once. */
const strideMax = 16

/**
 * Creates `blobs/00` to `blobs/ff` and `tmp` below `directory`, which must exist; resolves when all are durable.
 * Existing directories stay, so the next call completes an interrupted one.
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
