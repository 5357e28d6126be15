/** The blob store of each kind, in the directory of a store. */
import type { BlobStore, Divergence } from '@varve/core'
import { createBlobDirectories } from '../blobs/create-blob-directories.ts'
import { diskBlobs, type DiskBlobsOptions } from '../blobs/disk-blobs.ts'
import { readableBlobs, type ReadableBlobs } from '../blobs/readable-blobs.ts'
import type { FileSystem } from '../files/file-system.ts'
import { inspectSegments } from '../segment-blobs/inspect-segments.ts'
import { repairSegments, type SegmentRepair } from '../segment-blobs/repair-segments.ts'
import { segmentBlobs } from '../segment-blobs/segment-blobs.ts'
import { createTieredDirectories, tieredBlobs } from '../segment-blobs/tiered-blobs.ts'
import type { BlobKind } from './layout.ts'
import { openedWithCodes } from './opened-with-codes.ts'

export interface BlobKeeping {
  /** Creates the directories it needs, durably; existing ones stay. @throws StorageError `NoSpace`, `BlobFailed` */
  createDirectories(directory: string, options?: { readonly fs?: FileSystem }): Promise<void>
  /** @throws StorageError `BlobFailed`, `NoSpace`. Closing the store can throw the same. */
  open(directory: string, options: DiskBlobsOptions): Promise<BlobStore>
  /** Reads the store without owning it, and reports the damage in its files. @throws StorageError `BlobFailed` */
  inspect(directory: string): Promise<{ readonly blobs: ReadableBlobs; readonly divergences: readonly Divergence[] }>
  /** Makes each of these blobs a file of its own and moves damaged segments aside, for a repair. */
  repair(directory: string, repair: SegmentRepair): Promise<void>
}

const kinds: Readonly<Record<BlobKind, BlobKeeping>> = {
  files: {
    createDirectories: createBlobDirectories,
    open: diskBlobs,
    inspect: async (directory) => ({ blobs: readableBlobs(directory), divergences: [] }),
    repair: async () => undefined,
  },
  segments: {
    createDirectories: createTieredDirectories,
    open: segmentBlobs,
    inspect: (path) => inspectSegments(path),
    repair: repairSegments,
  },
  tiered: {
    createDirectories: createTieredDirectories,
    open: tieredBlobs,
    inspect: (path) => inspectSegments(path),
    repair: repairSegments,
  },
}

const withCodes = (keeping: BlobKeeping): BlobKeeping => ({
  ...keeping,
  open: (directory, options) => openedWithCodes('BlobFailed', 'the blobs', () => keeping.open(directory, options)),
})

export const blobStores: Readonly<Record<BlobKind, BlobKeeping>> = {
  files: withCodes(kinds.files),
  segments: withCodes(kinds.segments),
  tiered: withCodes(kinds.tiered),
}
