/** Reads of one open blob file. Each read names its position, so any number of reads can run at once. */
import { type BlobHandle, StorageError } from '@varve/core'
import { onMedium } from '../files/errno.ts'
import type { OpenFile } from '../files/file-system.ts'

export function blobFileHandle(file: Pick<OpenFile, 'read' | 'close'>, size: number): BlobHandle {
  let closed: Promise<void> | undefined
  return {
    size,
    async read(into, start) {
      assertOffset(start)
      for (let filled = 0; filled < into.length; ) {
        const position = start + filled
        const { bytesRead } = await onMedium('BlobFailed', 'Reading a blob', () =>
          file.read(into, filled, into.length - filled, position),
        )
        if (bytesRead === 0) throw tooShort(position, start + into.length)
        filled += bytesRead
      }
    },
    close() {
      closed ??= onMedium('BlobFailed', 'Closing a blob', () => file.close())
      return closed
    },
  }
}

/** @throws TypeError unless `start` is a valid offset, whatever the size of the blob. */
export function assertOffset(start: number): void {
  if (Number.isSafeInteger(start) && start >= 0) return
  throw new TypeError(`Not an offset in bytes: ${start}.`)
}

/** The error that a reader gets instead of too few bytes. */
export const tooShort = (at: number, end: number): StorageError =>
  new StorageError('BlobFailed', `A blob ends at ${at}, and ${end} was asked for.`, {
    details: { kind: 'size', at, end },
  })
