/** Blobs of a store that somebody looks at and nobody owns: what is missing is missing, and nothing is ever written. */
import { type BlobStore, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import { type FileSystem, nodeFileSystem } from '../files/file-system.ts'
import { blobPaths } from './blob-paths.ts'
import { openBlob, readShard } from './disk-blobs.ts'

export function readOnlyBlobs(
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): BlobStore {
  const paths = blobPaths(directory)
  const lenient: FileSystem = { ...fs, readdir: (path) => namesIn(fs, path) }
  const refuse = (): Promise<never> => Promise.reject(new StorageError('ReadOnly', 'These blobs are only looked at.'))
  return {
    write: refuse,
    open: async (id) => openBlob(fs, paths.blobOf(id)),
    delete: refuse,
    async *list() {
      for (const shard of paths.shards) yield* await readShard(lenient, shard)
    },
    discardUnfinished: async () => 0,
    close: async () => undefined,
  }
}

/** Of a directory that is not there: none. */
export async function namesIn(fs: FileSystem, directory: string): Promise<string[]> {
  try {
    return await fs.readdir(directory)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
    throw error
  }
}
