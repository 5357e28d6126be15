import type { ByteRange, ByteSource } from './blob-store.ts'

/** A file of a replica. */
export interface ReplicaFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/**
 * A port: the named files of a replica. Names consist of `a` to `z`, `0` to `9`, `-` and `/`, which is never at an end and
 * never doubled, and have at most 200 characters. `@varve/core/contracts` has the test suite for implementations.
 */
export interface ReplicaFiles {
  /**
   * Writes a file, whole and durable when it resolves, unless there is one of this name: then it resolves with false and changes
   * nothing. An attempt whose answer was lost can have had its effect, so the file may be its own. Rejects with `NoSpace`,
   * `TooManyOpenFiles` or `BlobFailed`; errors of the source pass through.
   */
  create(name: string, source: ByteSource): Promise<boolean>
  /** The bytes of the file, or of a range of it that it has. `undefined` if there is no such file. Rejects with `BlobFailed`. */
  read(name: string, range?: ByteRange): Promise<Uint8Array | undefined>
  /** The files whose names begin with `prefix`, in the order of their names. */
  list(prefix: string): AsyncIterable<ReplicaFile>
  /** Deletes the files; absent ones are no error. */
  delete(names: readonly string[]): Promise<void>
}
