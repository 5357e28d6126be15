import type { Soon } from '../base/soon.ts'
import { isStorageError } from '../base/errors.ts'
import type { BlobId, Journal } from '../ports/index.ts'

export interface SideRowMove {
  readonly from: Journal
  readonly into: Journal
  /** The key of the row of a blob. */
  readonly key: (id: BlobId) => Uint8Array
  readonly signal?: AbortSignal | undefined
  /** Called with the number of ids that were handled since the last call. */
  onMoved?(count: number): void
}

/** The number of ids collected at once: about 30 MB. */
const runIds = 2 ** 17
const rowsPerCommit = 256

/**
 * Moves inline bytes or data keys into another journal. Ids are random, and filling a tree in random order rewrites its
 * pages many times. So ids are collected, and their rows are moved in the order of their keys.
 */
export class SideRowMover {
  readonly #move: SideRowMove
  #run: BlobId[] = []

  constructor(move: SideRowMove) {
    this.#move = move
  }

  async take(id: BlobId): Promise<void> {
    if (this.#run.push(id) === runIds) await this.flush()
  }

  async flush(): Promise<void> {
    const ids = this.#run.sort()
    this.#run = []
    for (let at = 0; at < ids.length; at += rowsPerCommit) {
      this.#move.signal?.throwIfAborted()
      const some = ids.slice(at, at + rowsPerCommit)
      await this.#bring([...new Set(some)].map(this.#move.key))
      this.#move.onMoved?.(some.length)
    }
  }

  /** Copies rows that are not there yet. Damaged ones are copied unchanged: a later read reports the damage. */
  async #bring(keys: readonly Uint8Array[]): Promise<void> {
    const { into } = this.#move
    const there = await into.getMany(keys)
    const wanted = keys.filter((_, i) => there[i] === undefined)
    const values = await this.#read(wanted)
    const rows = wanted.flatMap((key, i) => (values[i] === undefined ? [] : [{ key, value: values[i] }]))
    if (rows.length > 0) await into.commit({ expectedHead: await into.head(), events: [], rows })
  }

  /** Reads rows; only those that a damaged journal cannot read are missing in the new one. */
  async #read(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { from } = this.#move
    const all = await readable(() => from.getMany(keys))
    if (all !== undefined) return all
    const values: (Uint8Array | undefined)[] = []
    for (const key of keys) values.push(await readable(() => from.get(key)))
    return values
  }
}

async function readable<T>(read: () => Soon<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isStorageError(error, 'JournalFailed')) return undefined
    throw error
  }
}
