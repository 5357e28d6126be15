/**
 * The directories `blobs/00` to `blobs/ff`. Each is made for the first blob in it, and its name is durable before that
 * blob is acknowledged. Several processes can share `blobs`: a directory that another one made may not be durable yet,
 * so each process syncs `blobs` once after it has found or made a directory.
 */
import type { BlobId } from '@varve/core'
import { ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { sharedRuns } from '../files/shared-runs.ts'
import { type BlobPaths, shardName } from './blob-paths.ts'

export interface ShardDirectories {
  /**
   * Resolves when the directory of this blob exists and its name is durable.
   * @throws StorageError `NoSpace` or `BlobFailed`
   */
  ready(id: BlobId): Promise<void>
}

/**
 * `found` are the names in `blobs`. `onFailure` is called when a sync of `blobs` has failed, before `ready` rejects with
 * the error.
 */
export function shardDirectories(
  fs: FileSystem,
  paths: BlobPaths,
  { found, onFailure }: { readonly found: Iterable<string>; readonly onFailure: (error: unknown) => void },
): ShardDirectories {
  const durable = new Set<string>()
  const present = new Set(found)
  const settle = sharedRuns(async () => {
    const settled = [...present]
    try {
      await onMedium('BlobFailed', 'Making a directory for blobs durable', () => syncDirectory(fs, paths.blobs))
    } catch (error) {
      onFailure(error)
      throw error
    }
    for (const name of settled) durable.add(name)
  })
  return {
    async ready(id) {
      const name = shardName(id)
      if (durable.has(name)) return
      if (!present.has(name)) {
        await onMedium('BlobFailed', 'Making a directory for blobs', () => ensureDirectory(fs, paths.shardOf(id)))
        present.add(name)
      }
      await settle()
    },
  }
}
