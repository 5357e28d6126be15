/** How many handles of each blob are open. */
import type { BlobId } from '@varve/core'

export class OpenCounts {
  readonly #counts = new Map<BlobId, number>()

  has(id: BlobId): boolean {
    return this.#counts.has(id)
  }

  /** Counts a handle until the returned function is called, which calls `close` first. Call it once. */
  add(id: BlobId, close: () => Promise<void>): () => Promise<void> {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
    return async () => {
      try {
        await close()
      } finally {
        this.#remove(id)
      }
    }
  }

  #remove(id: BlobId): void {
    const left = (this.#counts.get(id) ?? 1) - 1
    if (left > 0) this.#counts.set(id, left)
    else this.#counts.delete(id)
  }
}
