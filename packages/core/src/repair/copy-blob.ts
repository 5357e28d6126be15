/** Copies one blob into another blob store and checks it meanwhile: damaged bytes are not copied. */
import { readBlob } from '../content/blob-reader.ts'
import { readExtents } from '../content/content-reader.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { isStorageError, type StorageError } from '../base/errors.ts'
import type { BlobRef } from '../events/index.ts'
import type { BlobStore, Hashing, RowReader } from '../ports/index.ts'

/** The stores between which a blob is copied. */
export interface BlobCopy {
  readonly from: Pick<BlobStore, 'open'>
  readonly into: Pick<BlobStore, 'write'>
  /** Has the bytes of inline blobs. */
  readonly rows?: RowReader
  readonly hashing: Hashing
  readonly signal?: AbortSignal | undefined
  /** For many blobs. @default buffers of its own */
  readonly buffers?: RunBuffers
}

/** `undefined` if the whole blob was copied, otherwise the error of its source. */
export async function copyBlob(copy: BlobCopy, blob: BlobRef): Promise<StorageError | undefined> {
  const { from, into, rows, hashing, signal, buffers = new RunBuffers() } = copy
  // Only failures of the source are returned; others are thrown.
  let fault: StorageError | undefined
  async function* source() {
    try {
      const reader = { blobs: from, hashing, buffers, reuseBuffers: true }
      // Sealed bytes are copied as they are, without a key.
      const range = { start: 0, end: blob.size }
      yield* rows === undefined ? readBlob(reader, blob, range) : readExtents(reader, rows, [{ blob, range }])
    } catch (error) {
      if (isStorageError(error, 'BlobMissing', 'BlobCorrupt', 'BlobFailed', 'JournalFailed')) fault = error
      throw error
    }
  }
  try {
    await into.write(blob.id, source(), signal)
  } catch (error) {
    if (error !== fault || fault === undefined) throw error
  }
  return fault
}
