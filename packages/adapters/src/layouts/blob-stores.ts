/** The blob store of each kind, in the directory of a store. */
import type { BlobStore, Divergence } from '@varve/core'
import { blobDirectories } from '../blobs/create-blob-directories.ts'
import { diskBlobs, type DiskBlobsOptions } from '../blobs/disk-blobs.ts'
import { readableBlobs, type ReadableBlobs } from '../blobs/readable-blobs.ts'
import { inspectSegments } from '../segment-blobs/inspect-segments.ts'
import { repairSegments, type SegmentRepair } from '../segment-blobs/repair-segments.ts'
import { segmentBlobs } from '../segment-blobs/segment-blobs.ts'
import { tieredBlobs, tieredDirectories } from '../segment-blobs/tiered-blobs.ts'
import type { BlobKind } from './layout.ts'
import { openedWithCodes } from './opened-with-codes.ts'

export interface BlobKeeping {
  /** The names of the directories that it needs in the directory of the store. */
  readonly directories: readonly string[]
  /** @throws StorageError `BlobFailed`, `NoSpace`. Closing the store can throw the same. */
  open(directory: string, options: DiskBlobsOptions): Promise<BlobStore>
  /** Reads the store without owning it, and reports the damage in its files. @throws StorageError `BlobFailed` */
  inspect(directory: string): Promise<{ readonly blobs: ReadableBlobs; readonly divergences: readonly Divergence[] }>
  /** Makes each of these blobs a file of its own and moves damaged segments aside, for a repair. */
  repair(directory: string, repair: SegmentRepair): Promise<void>
}

const kinds: Readonly<Record<BlobKind, BlobKeeping>> = {
  files: {
    directories: blobDirectories,
    open: diskBlobs,
    inspect: async (directory) => ({ blobs: readableBlobs(directory), divergences: [] }),
    repair: async () => undefined,
  },
  segments: {
    directories: tieredDirectories,
    open: segmentBlobs,
    inspect: (path) => inspectSegments(path),
    repair: repairSegments,
  },
  tiered: {
    directories: tieredDirectories,
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
