/**
 * Blobs by size: small ones in segments, large ones in files of their own. The size is known only at the end of a
 * stream, so a blob is gathered in memory up to the limit. If it is larger, or no memory is left, it continues as a
 * file. No write waits for the source of another: a blob goes to the segments only when it is complete.
 */
import type { BlobId, BlobStore, Ids } from '@varve/core'
import { assertBlobId } from '../blobs/blob-paths.ts'
import { blobDirectories } from '../blobs/create-blob-directories.ts'
import { type DiskBlobsOptions, diskBlobs } from '../blobs/disk-blobs.ts'
import { type HandleSlots, handleSlots } from '../blobs/handle-slots.ts'
import { openWrites } from '../blobs/open-writes.ts'
import { ensureDirectories } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { patient } from '../files/patient-file-system.ts'
import { openFilesShares } from '../files/open-files.ts'
import { randomIds } from '../system/random-ids.ts'
import { allDone } from '../files/all-done.ts'
import { gatherMemory } from './gathered-bytes.ts'
import { SegmentStore } from './segment-store.ts'
import { replaceBlob } from './replace-blob.ts'
import { takeBlob } from './take-blob.ts'

/** Options of a blob store of segments and files. */
export interface TieredBlobsOptions extends DiskBlobsOptions {
  /** Blobs of up to this size go to segments, in bytes. @default 256 KiB */
  readonly segmentMax?: number
  /** A segment of this size gets no more blobs, in bytes. @default 64 MiB */
  readonly segmentBytes?: number
  /** Memory that all incoming small blobs share, in bytes; when none is left, a blob goes to a file. @default 32 MiB */
  readonly gatherMax?: number
  /** A segment is cleared out when less than this share of it is needed. @default 0.5 */
  readonly liveMin?: number
  /** Clear out segments after each delete, or only when `compact` is called. @default 'background' */
  readonly clearing?: 'background' | 'on-request'
  /** Generates the ids of segments. @default random */
  readonly ids?: Ids
}

/** A blob store that keeps small blobs in segments, which can be compacted. */
export interface SegmentedBlobStore extends BlobStore {
  /** Clears out every segment of which little is needed; resolves with the number of removed segments. */
  compact(): Promise<number>
}

const mebibyte = 1024 * 1024

/** The names of the directories below that of the store. */
export const tieredDirectories: readonly string[] = [...blobDirectories, 'segments']

/** Creates the directories for `tieredBlobs` and `segmentBlobs` below `directory`, durably. Existing ones stay. */
export const createTieredDirectories = (
  directory: string,
  { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {},
): Promise<void> =>
  onMedium('BlobFailed', 'Making the directories for blobs', () => ensureDirectories(fs, directory, tieredDirectories))

/**
 * Blobs below `directory`, which `createTieredDirectories` has prepared. Ids that are not 32 hex digits are a
 * TypeError. After one failed fsync of a directory every write is refused with `BlobFailed` until the store is opened
 * again.
 * @throws StorageError `BlobFailed` when a directory is missing, or they are not all on one file system, or a segment
 * cannot be read.
 */
export async function tieredBlobs(directory: string, options: TieredBlobsOptions = {}): Promise<SegmentedBlobStore> {
  const { segmentMax = mebibyte / 4, segmentBytes = 64 * mebibyte, gatherMax = 32 * mebibyte, reserve } = options
  const fs = patient(options.fs ?? nodeFileSystem)
  const { ids = randomIds, liveMin = 0.5, clearing = 'background' } = options
  const slots: HandleSlots = handleSlots(options.openMax ?? openFilesShares().blobs, () => segments.readers.reclaim())
  const files = await diskBlobs(directory, { fs, slots, linkFrom: options.linkFrom, ...(reserve && { reserve }) })
  const segments = await SegmentStore.open(directory, { fs, ids, reserve, slots, segmentBytes, liveMin, clearing })
  const writes = openWrites()
  const tiers = { segments, files, memory: gatherMemory(gatherMax), segmentMax }
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await writes.close()
    await allDone([segments.close(), files.close()])
  }
  const removing =
    (how: 'delete' | 'discard') =>
    async (ids: readonly BlobId[]): Promise<void> => {
      writes.assertOpen()
      ids.forEach(assertBlobId)
      const elsewhere = ids.filter((id) => !segments.has(id))
      await allDone([segments[how](ids), files.delete(elsewhere)])
    }
  const remove = removing('delete')
  return {
    async write(id, source, signal) {
      assertBlobId(id)
      return writes.run(signal, (cancel) => takeBlob(tiers, { id, source, signal }, cancel))
    },
    async replace(id, source, signal) {
      assertBlobId(id)
      writes.assertOpen()
      return replaceBlob(tiers, id, source, signal)
    },
    async open(id) {
      writes.assertOpen()
      assertBlobId(id)
      return (await segments.open(id)) ?? files.open(id)
    },
    delete: remove,
    async purge(ids) {
      await remove(ids)
      const arePurged = await files.purge?.(ids)
      return (await segments.overwrite(ids)) && arePurged !== false
    },
    discard: removing('discard'),
    async *list() {
      writes.assertOpen()
      yield* segments.ids
      yield* files.list()
    },
    async discardUnfinished() {
      writes.assertOpen()
      return (await segments.discardUnfinished()) + (await files.discardUnfinished())
    },
    async compact() {
      writes.assertOpen()
      return segments.compact()
    },
    close: () => (closing ??= close()),
  }
}
