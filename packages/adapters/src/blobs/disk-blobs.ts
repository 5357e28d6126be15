/**
 * Blobs as files, one file for each blob. A blob is complete and durable before its name exists, and a failed write
 * leaves nothing behind; only `ENOENT` ever means "missing".
 */
import {
  type BlobHandle,
  type BlobId,
  type BlobStore,
  type ByteSource,
  isStorageError,
  StorageError,
} from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { allowing, errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { patient } from '../files/patient-file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import { moveAside, removeAside } from '../files/move-aside.ts'
import { openFilesShares } from '../files/open-files.ts'
import { blobFileHandle } from './blob-file-handle.ts'
import { type BlobPaths, assertBlobId, blobPaths, isBlobId, isShardName } from './blob-paths.ts'
import { bufferPool } from './buffer-pool.ts'
import { type HandleSlots, handleSlots } from './handle-slots.ts'
import { openWrites } from './open-writes.ts'
import { shardDirectories } from './shard-directories.ts'
import { type BlobBudget, type BlobFileWriter, writeBlobFile } from './write-blob-file.ts'

const writeBytes = 256 * 1024
const idleBuffersMax = 16
/** A slow client may hold two buffers for as long as it likes: from `from` buffers in use on, new ones are small. */
const thrifty = { from: 64, size: 64 * 1024 }
const unlinksMax = 16

/** How a blob store in a directory writes. */
export interface DiskBlobsOptions {
  /** @default node:fs */
  readonly fs?: FileSystem
  /** Checked before each write of a buffer, so that a long upload leaves the log enough space. @default none */
  readonly reserve?: BlobBudget
  /** The most blobs that may be open at once, for reading or writing. @default a share of the process's limit */
  readonly openMax?: number
  /**
   * The directory of another store, whose blobs are copied here: a blob that is a file there gets a second name instead of
   * a second file, where the file system can, after all its bytes have been read from the source. @default none
   */
  readonly linkFrom?: string | undefined
}

/** An option that only another blob store of the same directory sets. */
interface SharedHandles {
  /** Replaces `openMax`: slots that this blob store shares with others. */
  readonly slots?: HandleSlots
}

/**
 * Blobs below `directory`, which `createBlobDirectories` has prepared. Ids that are not 32 hex digits are a TypeError.
 * After one failed fsync of a directory every write is refused with `BlobFailed` until the store is opened again: the
 * system may report the loss only once.
 * @throws StorageError `BlobFailed` when a directory is missing, or they are not all on one file system.
 */
export async function diskBlobs(directory: string, options: DiskBlobsOptions & SharedHandles = {}): Promise<BlobStore> {
  const { reserve } = options
  const fs = patient(options.fs ?? nodeFileSystem)
  const paths = blobPaths(directory)
  const found = await findDirectories(fs, paths)
  const writes = openWrites()
  const slots = options.slots ?? handleSlots(options.openMax ?? openFilesShares().blobs)
  const trust = directoryTrust()
  const writer = {
    fs,
    paths,
    shards: shardDirectories(fs, paths, { found, onFailure: trust.onDirectoryFailure }),
    buffers: bufferPool({ size: writeBytes, keptMax: idleBuffersMax, thrifty }),
    reserve,
    linkFrom: options.linkFrom === undefined ? undefined : blobPaths(options.linkFrom),
    ...trust,
  }
  const write = async (by: BlobFileWriter, id: BlobId, source: ByteSource, signal?: AbortSignal): Promise<number> => {
    assertBlobId(id)
    writer.assertTrusted()
    return writes.run(signal, async (cancel) => {
      const giveBack = slots.take()
      try {
        return await writeBlobFile(by, id, source, cancel)
      } finally {
        giveBack()
      }
    })
  }
  const remove = async (ids: readonly BlobId[]): Promise<void> => {
    writes.assertOpen()
    await unlinkAll(fs, ids.map(paths.blobOf))
  }
  const replacing = { ...writer, beforeNaming: (id: BlobId) => moveAside(fs, directory, paths.pathOf(id), damaged()) }
  return {
    write: (id, source, signal) => write(writer, id, source, signal),
    replace: (id, source, signal) => write(replacing, id, source(), signal),
    async open(id) {
      writes.assertOpen()
      return openInSlot(fs, paths.blobOf(id), slots)
    },
    delete: remove,
    async purge(ids) {
      await remove(ids)
      await onMedium('BlobFailed', 'Removing blobs from quarantine', () => removeAside(fs, directory, ids))
      return true
    },
    async *list() {
      writes.assertOpen()
      for (const shard of await shardsIn(fs, paths)) {
        writes.assertOpen()
        yield* await readShard(fs, shard)
      }
    },
    async discardUnfinished() {
      writes.assertOpen()
      return discardTemporary(fs, paths)
    },
    close: () => writes.close(),
  }
}

async function openInSlot(fs: FileSystem, path: string, slots: HandleSlots): Promise<BlobHandle> {
  const giveBack = slots.take()
  try {
    const handle = await openBlob(fs, path)
    return { ...handle, close: () => handle.close().finally(giveBack) }
  } catch (error) {
    giveBack()
    throw error
  }
}

const damaged = () => ({ kind: 'BlobCorrupt', message: 'Its bytes were taken from a copy.', at: Date.now() })

/** After one failed fsync of a directory, its entries and those of others may be lost without a further error. */
function directoryTrust(): Pick<BlobFileWriter, 'onDirectoryFailure' | 'assertTrusted'> {
  let distrust: StorageError | undefined
  return {
    onDirectoryFailure(cause) {
      // If the directory could not even be opened, no fsync failed and nothing was lost.
      if (isStorageError(cause, 'TooManyOpenFiles')) return
      const message = 'A directory of blobs failed: no more blobs are written until the store is opened again.'
      distrust ??= new StorageError('BlobFailed', message, { details: { kind: 'directory' }, cause })
    },
    assertTrusted() {
      if (distrust !== undefined) throw distrust
    },
  }
}

/** Resolves with the names in `blobs`. @throws StorageError `BlobFailed` */
async function findDirectories(fs: FileSystem, { blobs, temporary }: BlobPaths): Promise<readonly string[]> {
  return onMedium('BlobFailed', 'Looking for the directories of blobs', async () => {
    const [here, there, names] = await allDone([fs.stat(blobs), fs.stat(temporary), fs.readdir(blobs)])
    if (here.dev !== there.dev) throw new Error('Blobs and temporary files must be on one file system.')
    return names
  })
}

/** The directories that blobs have been put into, in order. */
export async function shardsIn(fs: FileSystem, { blobs }: BlobPaths): Promise<readonly string[]> {
  const names = await onMedium('BlobFailed', 'Listing blobs', () => fs.readdir(blobs))
  return names
    .filter(isShardName)
    .sort()
    .map((name) => `${blobs}/${name}`)
}

export async function openBlob(fs: FileSystem, path: string): ReturnType<BlobStore['open']> {
  const file = await onMedium('BlobFailed', 'Opening a blob', async () => {
    try {
      return await fs.open(path, 'r')
    } catch (cause) {
      if (errnoOf(cause) !== 'ENOENT') throw cause
      throw new StorageError('BlobMissing', 'There is no such blob.', { cause })
    }
  })
  try {
    const { size } = await onMedium('BlobFailed', 'Opening a blob', () => file.stat())
    return blobFileHandle(file, size)
  } catch (error) {
    await file.close().catch(() => undefined)
    throw error
  }
}

/** Resolves with the number of files that were removed. */
async function discardTemporary(fs: FileSystem, { temporary }: BlobPaths): Promise<number> {
  const names = await onMedium('BlobFailed', 'Looking for unfinished blobs', () => fs.readdir(temporary))
  await unlinkAll(
    fs,
    names.map((name) => `${temporary}/${name}`),
  )
  return names.length
}

/** Tries to remove every path, then throws the first failure. */
async function unlinkAll(fs: FileSystem, paths: readonly string[]): Promise<void> {
  const failures: unknown[] = []
  const unlink = (path: string) => allowing('ENOENT', () => fs.unlink(path)).catch((error) => failures.push(error))
  await inTurns(paths, unlink, unlinksMax)
  if (failures.length > 0) await onMedium('BlobFailed', 'Deleting a blob', () => Promise.reject(failures[0]))
}

export async function readShard(fs: FileSystem, shard: string): Promise<readonly BlobId[]> {
  const names = await onMedium('BlobFailed', 'Listing blobs', () => fs.readdir(shard))
  return names.filter((name) => isBlobId(name) && shard.endsWith(name.slice(0, 2)))
}
