/** The blobs that a transaction has written. They stay until its outcome is known. */
import type { BlobMarks } from '../content/content-writer.ts'
import { discardBlobs } from '../content/discard-blobs.ts'
import type { BlobId, BlobStore } from '../ports/index.ts'

export class HeldBlobs implements BlobMarks {
  readonly #marks: BlobMarks
  readonly #ids = new Set<BlobId>()
  #isOver = false

  constructor(marks: BlobMarks) {
    this.#marks = marks
  }

  add(id: BlobId): unknown {
    this.#ids.add(id)
    return this.#marks.add(id)
  }

  /** A command of the transaction names the blob now, or its bytes were deleted. The mark stays until the end. */
  delete(id: BlobId): void {
    if (this.#isOver) this.#marks.delete(id)
  }

  /** The commands are committed. */
  keep(): void {
    this.#isOver = true
    for (const id of this.#ids) this.#marks.delete(id)
    this.#ids.clear()
  }

  /** No commit names the blobs. Those that cannot be deleted now are orphans, which the sweep finds. */
  async discard(blobs: Pick<BlobStore, 'delete' | 'discard'>): Promise<void> {
    const ids = [...this.#ids]
    if (ids.length > 0) await discardBlobs(blobs, ids).catch(() => undefined)
    this.keep()
  }

  /** A commit with an unknown outcome may name the blobs: their marks stay until the store is opened again. */
  leave(): void {
    this.#ids.clear()
  }
}
