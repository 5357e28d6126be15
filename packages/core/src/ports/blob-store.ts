/**
 * The blob store: immutable bytes under random ids that the store makes (32 hex digits, 128 bits).
 *
 * Invariant: no text of a client ever becomes part of a path or of an id, so ids never collide and a blob never
 * changes. "Write the blob, then commit the event" is atomic: a crash in between leaves an orphan that no event names.
 */

export type BlobId = string

/** Bytes to be written. Every chunk is consumed before the next one is requested. */
export type ByteSource = AsyncIterable<Uint8Array>

/** A half-open byte range, `start <= offset < end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A port: stores immutable blobs under ids. `@varve/core/contracts` has the test suite for implementations. */
export interface BlobStore {
  /**
   * Resolves with the number of bytes written once they are durable under `id` (file and directory entry).
   * If the source throws, the signal aborts or the medium fails, it rejects and leaves nothing visible.
   * Rejects with `NoSpace` when the medium is full, with `TooManyOpenFiles` when no more files can be opened, and with
   * `BlobFailed` on any other failure of the medium.
   * Errors of the source and the abort reason pass through unchanged.
   */
  write(id: BlobId, source: ByteSource, signal?: AbortSignal): Promise<number>
  /**
   * Writes a blob again whose stored bytes are damaged or missing: as `write`, and the new bytes take the place of the old ones when they
   * are whole and durable. What was stored is kept aside if the medium has a place for that, and is never lost before the new bytes are
   * known to be whole. `source` begins anew at each call.
   * @default the store reads the source once, deletes the blob and writes it
   */
  replace?(id: BlobId, source: () => ByteSource, signal?: AbortSignal): Promise<number>
  /**
   * Opens a blob; the handle keeps the bytes readable even if the blob is deleted meanwhile.
   * Rejects with `BlobMissing` only when the medium reports that the blob does not exist; any other failure is
   * `BlobFailed` or `TooManyOpenFiles`.
   */
  open(id: BlobId): Promise<BlobHandle>
  /** Deletes the blobs; absent ids are no error. Resolves when all are deleted. */
  delete(ids: readonly BlobId[]): Promise<void>
  /**
   * As `delete`, and leaves nothing of their bytes in the files of the store, also of blobs that were deleted before. False if open handles
   * read them: the call has to be made again later. Absent: a deleted blob leaves nothing there.
   */
  purge?(ids: readonly BlobId[]): Promise<boolean>
  /**
   * As `delete`, of blobs that this store wrote and no event names. Nothing can read them or ask for their erasure, so it leaves nothing of
   * their bytes in the files of the store. @default `delete`, for a store in which a deleted blob leaves nothing
   */
  discard?(ids: readonly BlobId[]): Promise<void>
  /** Every stored blob id, in no particular order: for the sweep. */
  list(): AsyncIterable<BlobId>
  /** Removes the remains of unfinished writes of earlier processes; returns how many. Called once, before any write. */
  discardUnfinished(): Promise<number>
  close(): Promise<void>
}

/** An open blob. It stays readable after the blob is deleted. */
export interface BlobHandle {
  readonly size: number
  /**
   * Fills `into` with the bytes from `start` on. Rejects with `BlobFailed` if the medium gives fewer, and with a
   * TypeError if `start` is not a valid offset. Any number of reads may run at once.
   */
  read(into: Uint8Array, start: number): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}
