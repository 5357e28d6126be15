/**
 * The steps of a repair that concern segments. A blob becomes a file of its own, with its bytes as they are and any
 * damage, so that it can be moved aside. A damaged segment moves aside as a whole when all its undamaged blobs are
 * elsewhere. For the holder of the directory's lock; can be repeated after a crash.
 */
import type { BlobId } from '@varve/core'
import { diskBlobs } from '../blobs/disk-blobs.ts'
import { handleSlots } from '../blobs/handle-slots.ts'
import { onMedium } from '../files/errno.ts'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { openFilesShares } from '../files/open-files.ts'
import { randomIds } from '../system/random-ids.ts'
import type { SegmentId } from './format/segment-paths.ts'
import { readableBytes } from './readable-bytes.ts'
import { SegmentStore } from './segment-store.ts'

export interface SegmentRepair {
  /** Those of these that are in segments become files. */
  readonly blobs: readonly BlobId[]
  /** The segments that move aside. */
  readonly segments: readonly SegmentId[]
  /** Moves a file, by its path in the store, into quarantine; durably. */
  takeAside(path: string): Promise<unknown>
}

/**
 * Also rebuilds every index that is damaged or missing.
 * @throws StorageError as the blob stores do.
 */
export async function repairSegments(directory: string, repair: SegmentRepair): Promise<void> {
  const slots = handleSlots(openFilesShares().blobs)
  const segments = await SegmentStore.open(directory, {
    fs,
    slots,
    ids: randomIds,
    reserve: undefined,
    segmentBytes: 64 * 1024 * 1024,
    liveMin: 0,
    clearing: 'on-request',
  })
  const files = await diskBlobs(directory, { fs, slots })
  try {
    for (const id of repair.blobs) {
      const handle = await segments.open(id)
      if (handle === undefined) continue
      try {
        await files.write(id, readableBytes(handle))
      } finally {
        await handle.close()
      }
      await segments.delete([id])
    }
    for (const id of repair.segments) {
      await onMedium('BlobFailed', 'Taking a segment aside', () =>
        segments.clearOut(id, () => repair.takeAside(`segments/${id}.segment`)),
      )
    }
  } finally {
    await segments.close()
    await files.close()
  }
}
