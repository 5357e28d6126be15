/** How often a reader of a replica looks again at files that are gone. */
import type { StorageError } from '../base/errors.ts'
import { isPassing } from './replica-corrupt.ts'

/** A file that a listing shows so often, and that is not there, is missing. */
const sameMax = 5
/** A writer may join files as fast as they are listed, but only a limited number of times before the reader gets one. */
const looksMax = 100

/** Counts looks that met nothing new. A writer joins and deletes files: what is gone is mostly in others. */
export class Looks {
  #file: unknown
  #same = 0
  #all = 0

  /** Whether another look may not meet the error. */
  mayPass(error: unknown): error is StorageError {
    if (!isPassing(error)) return false
    const { file } = error.details
    this.#same = this.#all > 0 && file === this.#file ? this.#same + 1 : 1
    this.#file = file
    this.#all++
    return this.#same < sameMax && this.#all < looksMax
  }

  /** Something was read. */
  reset(): void {
    this.#same = 0
    this.#all = 0
  }
}

/**
 * Calls `look` until it meets no file that is gone. `before`: lists the files for another look, if `look` does not begin with that.
 * @throws StorageError `ReplicaCorrupt`; what the two throw
 */
export async function lookAgain<T>(look: () => Promise<T>, before?: (gone: StorageError) => Promise<void>): Promise<T> {
  const looks = new Looks()
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (!looks.mayPass(error)) throw error
      await before?.(error)
    }
  }
}
