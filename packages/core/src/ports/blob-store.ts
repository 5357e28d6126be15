/**
 * The blob store: immutable bytes under random ids that the store makes (32 hex digits, 128 bits).
 *
 * Invariant: nothing a client sent ever becomes part of a path or of an id, so ids never collide, a blob never
 * changes, and "write the blob, then commit the event" is atomic: a crash in between leaves an orphan that no event names.
 */

export type BlobId = string

/** Bytes on their way in. Every chunk is consumed before the next is requested. */
export type ByteSource = AsyncIterable<Uint8Array>

/** A half-open byte range, `start <= offset < end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A port: stores immutable blobs under ids. `@varve/core/contracts` has the suite that proves one. */
export interface BlobStore {
  /**
   * Resolves with the number of bytes written once they are durable under `id` (file and directory entry).
   * If the source throws, the signal aborts or the medium fails, rejects and leaves nothing visible behind.
   * Rejects with `NoSpace` when the medium is full, with `TooManyOpenFiles` when no more can be open at once, and with
   * `BlobFailed` on any other failure of the medium;
   * errors of the source and the abort reason pass through unchanged.
   */
  write(id: BlobId, source: ByteSource, signal?: AbortSignal): Promise<number>
  /**
   * Opens a blob; the handle keeps the bytes readable even if the blob is deleted meanwhile.
   * Rejects with `BlobMissing` only when the medium reports that the blob is not there; any other failure is `BlobFailed`
   * or `TooManyOpenFiles`.
   */
  open(id: BlobId): Promise<BlobHandle>
  /** Deletes what is there; absent ids are fine. Resolves when the removals are done. */
  delete(ids: readonly BlobId[]): Promise<void>
  /** Every blob id present, in no particular order: for the sweep. */
  list(): AsyncIterable<BlobId>
  /** Removes what unfinished writes of earlier processes left behind; returns how many. Called once, before any write. */
  discardUnfinished(): Promise<number>
  close(): Promise<void>
}

/** An open blob. It stays readable after the blob was deleted. */
export interface BlobHandle {
  readonly size: number
  /**
   * Fills `into` with the bytes from `start` on; rejects with `BlobFailed` if the medium gives fewer, and with a TypeError
   * when `start` is no offset. Any number of reads may be under way at once.
   */
  read(into: Uint8Array, start: number): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}
