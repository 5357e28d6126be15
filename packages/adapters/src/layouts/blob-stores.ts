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
  /** Makes the directories it needs, durably; what is there stays. @throws StorageError `NoSpace`, `BlobFailed` */
  createDirectories(directory: string, options?: { readonly fs?: FileSystem }): Promise<void>
  /** @throws StorageError `BlobFailed`, `NoSpace`; closing it too. */
  open(directory: string, options: DiskBlobsOptions): Promise<BlobStore>
  /** Without owning it, with the damage that its files show. @throws StorageError `BlobFailed` */
  inspect(directory: string): Promise<{ readonly blobs: ReadableBlobs; readonly divergences: readonly Divergence[] }>
  /** Makes each of these blobs a file of its own, and takes damaged segments aside: so that a repair can. */
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
