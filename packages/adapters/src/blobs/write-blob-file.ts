/**
 * A blob becomes visible complete and durable, or not at all: temporary file, check of the size, fsync, rename, fsync
 * of the directory. After a failed fsync the file is given up; the fsync is never repeated.
 */
import { type BlobId, type ByteSource, StorageError } from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { privateFile, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import type { BlobPaths } from './blob-paths.ts'
import type { BufferPool } from './buffer-pool.ts'
import type { Cancellation } from './cancellation.ts'
import { drainSource } from './drain-source.ts'
import { fileFiller } from './file-filler.ts'
import { linkBlob, readBeside } from './link-blob.ts'
import type { ShardDirectories } from './shard-directories.ts'

/** Reports when the medium has too little space left, such as a `DiskReserve`. */
export interface BlobBudget {
  exhausted(): boolean | Promise<boolean>
  spend(bytes: number): void
}

export interface BlobFileWriter {
  readonly fs: FileSystem
  readonly paths: BlobPaths
  readonly shards: ShardDirectories
  readonly buffers: BufferPool
  readonly reserve: BlobBudget | undefined
  /** Another store, whose files are linked. */
  readonly linkFrom: BlobPaths | undefined
  /** Called when a directory could not be synced: its entries may not be durable. */
  readonly onDirectoryFailure: (cause: unknown) => void
  /** Called before a whole blob gets its name. */
  readonly beforeNaming?: (id: BlobId) => Promise<unknown>
  /** @throws StorageError when a directory failed since the write began. */
  readonly assertTrusted: () => void
}

/**
 * Resolves with the number of bytes.
 * @throws StorageError `NoSpace` or `BlobFailed`; errors of the source and the reason of the cancellation pass through.
 */
export async function writeBlobFile(
  writer: BlobFileWriter,
  id: BlobId,
  source: ByteSource,
  cancel: Cancellation,
): Promise<number> {
  const { fs, paths, shards } = writer
  const [temporary, whole] = [paths.temporaryOf(id), paths.blobOf(id)]
  const isLinked = await linkBlob(writer, id)
  const file = isLinked ? undefined : await openNew(fs, temporary)
  // The directory becomes durable while the bytes arrive. If it fails, the write does not wait for a slow source.
  const shard = shards.ready(id)
  shard.catch((error: unknown) => cancel.cancel(error))
  let renaming = false
  try {
    const filled =
      file === undefined
        ? readBeside(writer, id, source, cancel)
        : closing(file, () => fillFile(writer, file, source, cancel))
    const [size] = await allDone([filled, shard])
    cancel.throwIfCancelled()
    await onMedium('BlobFailed', 'Keeping a blob aside', async () => writer.beforeNaming?.(id))
    renaming = true
    await onMedium('BlobFailed', 'Naming a blob', () => fs.rename(temporary, whole))
    await syncShard(writer, id)
    return size
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined)
    if (renaming) await fs.unlink(whole).catch(() => undefined)
    throw error
  }
}

const openNew = (fs: FileSystem, path: string): Promise<OpenFile> =>
  onMedium('BlobFailed', 'Opening a blob for writing', () => fs.open(path, 'wx', privateFile))

async function fillFile(
  { buffers, reserve }: BlobFileWriter,
  file: OpenFile,
  source: ByteSource,
  cancel: Cancellation,
): Promise<number> {
  const filler = fileFiller(reserve === undefined ? file : spending(file, reserve), buffers)
  const write = <T>(work: () => Promise<T>) => onMedium('BlobFailed', 'Writing a blob', work)
  try {
    await drainSource(source, cancel, (chunk) => {
      const pending = filler.add(chunk)
      return pending === undefined ? undefined : write(() => pending)
    })
    return await write(async () => {
      const size = await filler.finish()
      await assertSize(file, size)
      await file.sync()
      return size
    })
  } finally {
    await filler.settle()
  }
}

/** A file that refuses to grow when the medium is nearly full. */
const spending = (file: OpenFile, reserve: BlobBudget): Pick<OpenFile, 'write'> => ({
  async write(buffer, offset, length, position) {
    if (await reserve.exhausted()) throw new StorageError('NoSpace', 'The medium has too little room left.')
    reserve.spend(length)
    return file.write(buffer, offset, length, position)
  },
})

/** Detects a disk that reports success for a write it did not make: the file would be too short without any error. */
async function assertSize(file: OpenFile, expected: number): Promise<void> {
  const { size } = await file.stat()
  if (size === expected) return
  const details = { kind: 'size', size, expected }
  throw new StorageError('BlobFailed', `A blob of ${expected} bytes came out with ${size}.`, { details })
}

/** Always closes the file. A failure to close is thrown, unless something failed before. */
async function closing<T>(file: OpenFile, work: () => Promise<T>): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    await file.close().catch(() => undefined)
    throw error
  }
  await onMedium('BlobFailed', 'Closing a blob', () => file.close())
  return result
}

async function syncShard({ fs, paths, assertTrusted, onDirectoryFailure }: BlobFileWriter, id: BlobId): Promise<void> {
  try {
    await onMedium('BlobFailed', 'Making the name of a blob durable', () => syncDirectory(fs, paths.shardOf(id)))
  } catch (error) {
    onDirectoryFailure(error)
    throw error
  }
  assertTrusted()
}
