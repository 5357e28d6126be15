import type { BlobId, BlobHandle, BlobStore, ByteRange } from '../ports/index.ts'

export interface OpenHandles {
  /** How many are open. */
  count: number
  /** Ranges that were read, in order. */
  readonly reads: ByteRange[]
}

/** Watches over the handles a store opens from now on. */
export function watchHandles(blobs: BlobStore): OpenHandles {
  const handles: OpenHandles = { count: 0, reads: [] }
  const { open } = blobs
  blobs.open = async (id: BlobId): Promise<BlobHandle> => {
    const handle = await open(id)
    let isOpen = true
    handles.count++
    return {
      ...handle,
      read(into, start) {
        handles.reads.push({ start, end: start + into.length })
        return handle.read(into, start)
      },
      async close() {
        if (isOpen) handles.count--
        isOpen = false
      },
    }
  }
  return handles
}
