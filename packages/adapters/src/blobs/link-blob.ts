/**
 * A blob of another store gets a second name here instead of a second file. Files of blobs never change, so the stores share
 * nothing that one of them could spoil; but damage to the medium is damage to both.
 */
import { type BlobId, type ByteSource, StorageError } from '@varve/core'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import type { BlobPaths } from './blob-paths.ts'
import type { Cancellation } from './cancellation.ts'
import { drainSource } from './drain-source.ts'

interface Linking {
  readonly fs: FileSystem
  readonly paths: BlobPaths
  readonly linkFrom: BlobPaths | undefined
}

/** Whether the temporary file of the blob is now the file of the other store. If it cannot be, it is written as any other. */
export async function linkBlob({ fs, paths, linkFrom }: Linking, id: BlobId): Promise<boolean> {
  if (linkFrom === undefined || fs.link === undefined) return false
  return fs.link(linkFrom.blobOf(id), paths.temporaryOf(id)).then(
    () => true,
    // Another file system, another user, too many names, or no such file: all of them end where a file is written.
    () => false,
  )
}

/**
 * Reads the source to its end, because that is what checks the bytes, and resolves with their number.
 * @throws StorageError `BlobFailed` if the linked file has another size; errors of the source and of the cancellation
 */
export async function readBeside(
  { fs, paths }: Linking,
  id: BlobId,
  source: ByteSource,
  cancel: Cancellation,
): Promise<number> {
  let bytes = 0
  await drainSource(source, cancel, (chunk) => {
    bytes += chunk.length
    return undefined
  })
  const [size = 0] = await onMedium('BlobFailed', 'Linking a blob', () => fs.sizes([paths.temporaryOf(id)]))
  if (size === bytes) return bytes
  const details = { kind: 'size', size, expected: bytes }
  throw new StorageError('BlobFailed', `A blob of ${bytes} bytes is linked to a file with ${size}.`, { details })
}
