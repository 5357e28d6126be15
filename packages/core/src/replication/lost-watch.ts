/** Tells of the bytes that a copy of a log did not find those that are lost: versions need them, and no event says that they were erased. */
import { StorageError } from '../base/errors.ts'
import { neededOf } from '../views/needed-blobs.ts'
import type { BlobId, Hashing, Journal } from '../ports/index.ts'
import { explainAbsent } from './lost-bytes.ts'

/** So many are remembered at most. */
const idsMax = 10_000

/** Remembers bytes that a copy did not find, until it has all events. */
export class LostWatch {
  readonly #log: { readonly journal: Journal; readonly hashing: Hashing }
  readonly #absent = new Set<BlobId>()
  #lost = 0

  /** `log`: one with views that are up to its end. */
  constructor(log: { readonly journal: Journal; readonly hashing: Hashing }) {
    this.#log = log
  }

  /** Bytes that were not found. A later event may say that they were erased. */
  add(ids: readonly BlobId[]): void {
    for (const id of ids) if (this.#absent.size < idsMax) this.#absent.add(id)
  }

  /** Call it when the copy has all events. Resolves with an error if more bytes are lost than at the last call. */
  async look(): Promise<StorageError | undefined> {
    if (this.#absent.size === 0) return undefined
    const needed = await neededOf(this.#log.journal, [...this.#absent])
    this.#absent.clear()
    if (needed.length === 0) return undefined
    const { lost } = await explainAbsent(this.#log, needed, await this.#log.journal.head())
    if (lost.length === 0) return undefined
    this.#lost += lost.length
    const message = `${this.#lost} contents are lost: their bytes were not found, and no event says that they were erased.`
    return new StorageError('BlobMissing', message, { details: { count: this.#lost, blob: lost[0] ?? '' } })
  }
}
