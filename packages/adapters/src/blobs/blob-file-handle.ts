/** Reads of one open blob file: positional, so that ranges can be read at once, each chunk a buffer of its own. */
import { type BlobHandle, type ByteRange, type ByteSource, StorageError } from '@varve/core'
import { onMedium } from '../files/errno.ts'
import type { OpenFile } from '../files/file-system.ts'

const chunkBytesMax = 1024 * 1024

export function blobFileHandle(file: Pick<OpenFile, 'read' | 'close'>, size: number): BlobHandle {
  let closed: Promise<void> | undefined
  return {
    size,
    read(range) {
      assertRange(range)
      return readChunks(file, range)
    },
    close() {
      closed ??= onMedium('BlobFailed', 'Closing a blob', () => file.close())
      return closed
    },
  }
}

/** @throws TypeError for what is no range at all, wherever the blob ends. */
export function assertRange({ start, end }: ByteRange): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end) return
  throw new TypeError(`Not a range of bytes: ${start} to ${end}.`)
}

/** What a reader gets instead of fewer bytes than it asked for. */
export const tooShort = (at: number, end: number): StorageError =>
  new StorageError('BlobFailed', `A blob ends at ${at}, and ${end} was asked for.`, {
    details: { kind: 'size', at, end },
  })

async function* readChunks(file: Pick<OpenFile, 'read'>, { start, end }: ByteRange): ByteSource {
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytesMax, end - at))
    for (let filled = 0; filled < chunk.length; ) {
      const position = at + filled
      const { bytesRead } = await onMedium('BlobFailed', 'Reading a blob', () =>
        file.read(chunk, filled, chunk.length - filled, position),
      )
      if (bytesRead === 0) throw tooShort(position, end)
      filled += bytesRead
    }
    at += chunk.length
    yield chunk
  }
}
