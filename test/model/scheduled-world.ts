/** A store whose effects on journal, blobs and witness each wait until the schedule lets them happen. */
import { memoryBlobs, type MemoryBlobMedium, nodeHashing, randomIds } from '@varve/adapters'
import { type BlobStore, openEngine, type Store, type Tip, type Witness } from '@varve/core'
import { atOnce, plainJournal, type PlainMedium, plainMedium, type Step } from './plain-journal.ts'

const hashing = await nodeHashing()

/** The same at every opening: ids of uploads stay what they are. */
const secret = { read: async () => new Uint8Array(32) }

export class ScheduledWorld {
  /** Effects that came after the store had reported that it was closed. */
  readonly late: string[] = []
  readonly #rows: PlainMedium
  readonly #bytes: MemoryBlobMedium
  #tip: Tip | undefined
  #step: Step = atOnce
  #store: Store | undefined
  #closed = false

  /** Begins as another world was left, closed or not. */
  constructor(like?: ScheduledWorld) {
    this.#rows = like === undefined ? plainMedium() : { ...like.#rows }
    this.#bytes = new Map(like === undefined ? [] : like.#bytes)
    if (like !== undefined) this.#tip = like.#tip
  }

  get store(): Store {
    if (this.#store === undefined) throw new TypeError('The world has no store yet.')
    return this.#store
  }

  /** Bytes of blobs that are there, needed or not. */
  get blobBytes(): number {
    return [...this.#bytes.values()].reduce((total, { length }) => total + length, 0)
  }

  /** What the witness remembers, and what the log has. */
  get ends(): { readonly witness: number; readonly log: number } {
    return { witness: this.#tip?.seq ?? 0, log: this.#rows.log.length }
  }

  async open(): Promise<void> {
    const step: Step = (effect) => this.#wait(effect)
    this.#closed = false
    const ports = {
      journal: plainJournal(this.#rows, step),
      blobs: steppedBlobs(memoryBlobs(this.#bytes), step),
      witness: this.#witness(step),
      clock: { now: () => 1_700_000_000_000, monotonic: () => 0 },
      ids: randomIds,
      hashing,
      secret,
    }
    this.#store = await openEngine(ports, { inlineMax: 64 })
  }

  async close(): Promise<void> {
    await this.store.close()
    this.#closed = true
  }

  /** What an operator does with a store that failed. */
  async reopen(): Promise<void> {
    await this.close()
    await this.open()
  }

  /** From now on effects wait for `step`. */
  schedule(step: Step): void {
    this.#step = step
  }

  /** A point of its own, between two steps of a client. */
  pause(): Promise<void> {
    return this.#step('client')
  }

  async #wait(effect: string): Promise<void> {
    // Reads that had begun may end, and bytes no command will name may go: nothing else is touched.
    if (this.#closed && (effect === 'commit' || effect === 'witness')) this.late.push(effect)
    await this.#step(effect)
  }

  #witness(step: Step): Witness {
    return {
      read: async () => this.#tip,
      write: async (tip) => {
        await step('witness')
        this.#tip = tip
      },
    }
  }
}

function steppedBlobs(blobs: BlobStore, step: Step): BlobStore {
  return {
    ...blobs,
    async write(id, source, signal) {
      await step('write blob')
      const size = await blobs.write(id, source, signal)
      await step('blob is durable')
      return size
    },
    async open(id) {
      await step('open blob')
      const handle = await blobs.open(id)
      return {
        ...handle,
        async read(into, start) {
          await step('read blob')
          await handle.read(into, start)
        },
      }
    },
    async delete(ids) {
      await step('delete blobs')
      await blobs.delete(ids)
    },
  }
}
