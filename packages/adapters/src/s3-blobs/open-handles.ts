/**
 * The open handles of this process. S3 cannot keep the bytes of a deleted object, so a blob with open handles is only
 * hidden, and deleted after the last of them was closed.
 */
import type { BlobId } from '@varve/core'

export class OpenHandles {
  readonly #counts = new Map<BlobId, number>()
  readonly #hidden = new Set<BlobId>()
  /** To be deleted: their handles are closed, or an earlier try failed. */
  #due = new Set<BlobId>()
  #deleting: Promise<void> = Promise.resolve()
  readonly #remove: (ids: readonly BlobId[]) => Promise<void>

  constructor(remove: (ids: readonly BlobId[]) => Promise<void>) {
    this.#remove = remove
  }

  /** Whether it was deleted in this process. It is not opened or listed again. */
  isHidden(id: BlobId): boolean {
    return this.#hidden.has(id)
  }

  /** Returns a function that closes the handle, once. */
  add(id: BlobId): () => void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
    let isClosed = false
    return () => {
      if (!isClosed) this.#close(id)
      isClosed = true
    }
  }

  /** Deletes the blobs without open handles, and hides the others until they are closed. */
  async delete(ids: readonly BlobId[]): Promise<void> {
    const [open, rest] = [new Set<BlobId>(), new Set(this.#due)]
    for (const id of ids) (this.#counts.has(id) ? open : rest).add(id)
    for (const id of open) this.#hidden.add(id)
    await this.#removeNow([...rest])
  }

  /** Deletes what is hidden, whether its handles are closed or not. */
  async close(): Promise<void> {
    await this.#deleting
    if (this.#hidden.size > 0) await this.#removeNow([...this.#hidden])
  }

  #close(id: BlobId): void {
    const count = (this.#counts.get(id) ?? 1) - 1
    if (count > 0) return void this.#counts.set(id, count)
    this.#counts.delete(id)
    if (!this.#hidden.has(id)) return
    this.#due.add(id)
    // What fails is tried again with the next deletion.
    this.#deleting = this.#deleting.then(() => this.delete([])).catch(() => undefined)
  }

  async #removeNow(ids: readonly BlobId[]): Promise<void> {
    if (ids.length === 0) return
    await this.#remove(ids)
    for (const id of ids) {
      this.#due.delete(id)
      if (!this.#counts.has(id)) this.#hidden.delete(id)
    }
  }
}
