/** Blobs of a store that is inspected without owning it: missing files and directories stay missing. */
import type { BlobStore } from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { errnoOf } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { blobPaths } from './blob-paths.ts'
import { openBlob, readShard, shardsIn } from './disk-blobs.ts'

export type ReadableBlobs = Pick<BlobStore, 'open' | 'list'>

/** Read one after another, up to 256 directories would cost 256 trips to another thread and back. */
const shardsAtOnce = 16

export function readableBlobs(directory: string, fs: FileSystem = nodeFileSystem): ReadableBlobs {
  const paths = blobPaths(directory)
  const lenient: FileSystem = { ...fs, readdir: (path) => namesIn(fs, path) }
  return {
    open: async (id) => openBlob(fs, paths.blobOf(id)),
    async *list() {
      const shards = await shardsIn(lenient, paths)
      for (let i = 0; i < shards.length; i += shardsAtOnce) {
        const next = shards.slice(i, i + shardsAtOnce)
        const ids = await allDone(next.map((shard) => readShard(lenient, shard)))
        yield* ids.flat()
      }
    },
  }
}

/** The names in a directory; none if it does not exist. */
export async function namesIn(fs: FileSystem, directory: string): Promise<string[]> {
  try {
    return await fs.readdir(directory)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
    throw error
  }
}
