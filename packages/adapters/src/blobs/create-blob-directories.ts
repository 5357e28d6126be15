/** Creates the directories of blobs, with the store. Those in `blobs/` are made when a blob needs them. */
import { ensureDirectories } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'

/** The names of the directories below that of the store. */
export const blobDirectories: readonly string[] = ['blobs', 'tmp']

/**
 * Creates `blobs` and `tmp` below `directory`, which must exist; resolves when both are durable. Existing directories
 * stay, so the next call completes an interrupted one.
 * @throws StorageError `NoSpace` or `BlobFailed`
 */
export const createBlobDirectories = (
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> =>
  onMedium('BlobFailed', 'Making the directories for blobs', () => ensureDirectories(fs, directory, blobDirectories))
