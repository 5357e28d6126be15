/** Moves blobs of a directory to its folder `quarantine`, where nothing looks for them. */
import { join } from 'node:path'
import type { BlobId } from '@varve/core'
import { ensureDirectories, syncDirectory } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { blobPaths } from './blob-paths.ts'

/** Missing blobs are no error: an earlier run may have moved them. @throws StorageError `NoSpace`, `BlobFailed` */
export const setBlobsAside = (
  directory: string,
  ids: readonly BlobId[],
  fs: FileSystem = nodeFileSystem,
): Promise<void> =>
  onMedium('BlobFailed', 'Setting blobs aside', async () => {
    const paths = blobPaths(directory)
    const home = join(directory, 'quarantine')
    await ensureDirectories(fs, directory, ['quarantine'])
    const folders = new Set<string>()
    for (const id of ids)
      await allowing('ENOENT', async () => {
        await fs.rename(paths.blobOf(id), join(home, id))
        folders.add(paths.shardOf(id))
      })
    // The new names first: after a power cut, a blob may have both names but never none.
    await syncDirectory(fs, home)
    for (const folder of folders) await syncDirectory(fs, folder)
  })
