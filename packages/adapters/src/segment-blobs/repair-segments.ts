/**
 * What a repair does with segments. A blob goes into a file of its own, as it lies and whatever is wrong with it, so that
 * it can be taken aside; a segment with damage in it goes aside whole, when all that is sound in it is elsewhere. For
 * the holder of the directory's lock; can be repeated after a crash.
 */
import type { BlobHandle, BlobId, ByteSource } from '@varve/core'
import { diskBlobs } from '../blobs/disk-blobs.ts'
import { handleSlots } from '../blobs/handle-slots.ts'
import { onMedium } from '../files/errno.ts'
import { nodeFileSystem as fs } from '../files/file-system.ts'
import { openFilesShares } from '../files/open-files.ts'
import { randomIds } from '../system/random-ids.ts'
import type { SegmentId } from './format/segment-paths.ts'
import { SegmentStore } from './segment-store.ts'

const chunkBytesMax = 1024 * 1024

export interface SegmentRepair {
  /** Those that are in segments become files. */
  readonly blobs: readonly BlobId[]
  /** Those that are to go aside. */
  readonly segments: readonly SegmentId[]
  /** Takes a file, by its path in the store, where it does no harm; durably. */
  takeAside(path: string): Promise<unknown>
}

/**
 * Also makes every index again that is damaged or not there.
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
        await files.write(id, whatIsThere(handle))
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

/** Up to where it cannot be read. */
async function* whatIsThere(handle: BlobHandle): ByteSource {
  const buffer = Buffer.alloc(Math.min(handle.size, chunkBytesMax))
  for (let at = 0; at < handle.size; at += buffer.length) {
    const chunk = buffer.subarray(0, handle.size - at)
    try {
      await handle.read(chunk, at)
    } catch {
      // Fewer bytes are what is there to be kept.
      return
    }
    yield chunk
  }
}
