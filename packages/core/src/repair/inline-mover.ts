import { isStorageError } from '../base/errors.ts'
import type { BlobId, Journal } from '../ports/index.ts'
import { inlineTable } from '../views/tables.ts'

export interface InlineMove {
  readonly from: Journal
  readonly into: Journal
  readonly signal?: AbortSignal | undefined
  /** Called with how many of the ids that were taken are dealt with since the last call. */
  onMoved(count: number): void
}

/** Ids held at once: some 30 MB of them. */
const runIds = 2 ** 17
const rowsPerCommit = 256

/**
 * Inline bytes on their way into another journal. Ids are random, and a tree that is filled in random order writes each of
 * its pages again and again: so they are gathered, and moved in the order of their keys.
 */
export class InlineMover {
  readonly #move: InlineMove
  #run: BlobId[] = []

  constructor(move: InlineMove) {
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
      await this.#bring([...new Set(some)].map(inlineTable.key))
      this.#move.onMoved(some.length)
    }
  }

  /** Those that are not there already; damaged ones as they are: a read of them reports the damage. */
  async #bring(keys: readonly Uint8Array[]): Promise<void> {
    const { into } = this.#move
    const there = await into.getMany(keys)
    const wanted = keys.filter((_, i) => there[i] === undefined)
    const values = await this.#read(wanted)
    const rows = wanted.flatMap((key, i) => (values[i] === undefined ? [] : [{ key, value: values[i] }]))
    if (rows.length > 0) await into.commit({ expectedHead: await into.head(), events: [], rows })
  }

  /** What a damaged journal cannot give is missing in the new one, and no more than that. */
  async #read(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { from } = this.#move
    const all = await readable(() => from.getMany(keys))
    if (all !== undefined) return all
    const values: (Uint8Array | undefined)[] = []
    for (const key of keys) values.push(await readable(() => from.get(key)))
    return values
  }
}

async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isStorageError(error, 'JournalFailed')) return undefined
    throw error
  }
}
