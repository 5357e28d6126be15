/** The part of a segment that is one blob, as if it were a file: reads cannot reach other blobs. */
import type { BlobHandle } from '@varve/core'
import { blobFileHandle } from '../blobs/blob-file-handle.ts'
import type { Place } from './format/places.ts'
import { headerBytes } from './format/record-format.ts'
import type { SegmentLease } from './segment-readers.ts'

export function blobWindow({ file, release }: SegmentLease, { offset, size }: Place): BlobHandle {
  const start = offset + headerBytes
  const window = {
    read: async (buffer: Uint8Array, at: number, length: number, position: number) => {
      const inside = Math.min(length, size - position)
      return inside <= 0 ? { bytesRead: 0 } : file.read(buffer, at, inside, start + position)
    },
    close: release,
  }
  return blobFileHandle(window, size)
}
