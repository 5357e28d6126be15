/** A store whose effects on journal, blobs and witness each wait until the schedule lets them happen. */
import { memoryBlobs, type MemoryBlobMedium, nodeHashing, randomIds } from '@varve/adapters'
import { type BlobStore, openEngine, type Row, type Store, type Tip, type Witness } from '@varve/core'
import { leaseTable } from '#core/sharing/coordination-rows'
import { atOnce, plainJournal, type PlainMedium, plainMedium, type Step } from './plain-journal.ts'

const hashing = await nodeHashing()

/** The same at every opening: ids of uploads stay what they are. */
const secret = { read: async () => new Uint8Array(32) }

interface Opened {
  readonly store: Store
  isClosed: boolean
}

export interface WorldOptions {
  /** How many engines have the journal and the blobs open at the same time. @default 1 */
  readonly engines?: number
}

/** Milliseconds that pass before each step of a client, if there are several engines: they show that they work. */
const stepMs = 1200

export class ScheduledWorld {
  /** Effects that came after the store had reported that it was closed. */
  readonly late: string[] = []
  /** Leases of jobs that engines still had when all of them had closed: no other engine could have run these jobs. */
  readonly keptLeases: string[] = []
  readonly #rows: PlainMedium
  readonly #bytes: MemoryBlobMedium
  readonly #engines: number
  #tip: Tip | undefined
  #step: Step = atOnce
  #opened: Opened[] = []
  #passed = 0

  /** Begins as another world was left, closed or not. */
  constructor(like?: ScheduledWorld, { engines = 1 }: WorldOptions = {}) {
    this.#engines = engines
    this.#rows = like === undefined ? plainMedium() : { ...like.#rows }
    this.#bytes = new Map(like === undefined ? [] : like.#bytes)
    if (like !== undefined) this.#tip = like.#tip
  }

  get isShared(): boolean {
    return this.#engines > 1
  }

  get store(): Store {
    return this.storeOf(0)
  }

  /** The store of a client: clients take turns with the engines. */
  storeOf(client: number): Store {
    return this.#openedOf(client).store
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
    this.#opened = []
    for (let engine = 0; engine < this.#engines; engine++) this.#opened.push(await this.#openOne())
  }

  async close(client = 0): Promise<void> {
    const opened = this.#openedOf(client)
    await opened.store.close()
    opened.isClosed = true
  }

  /** What an operator does with a store that failed. */
  async reopen(client = 0): Promise<void> {
    await this.close(client)
    this.#opened[client % this.#engines] = await this.#openOne()
  }

  /** Closes all engines, and opens one. */
  async settle(): Promise<void> {
    for (let engine = 0; engine < this.#engines; engine++) await this.close(engine)
    this.keptLeases.push(...this.#rows.rows.flatMap(({ row }) => keptLease(row)))
    this.#opened = [await this.#openOne()]
  }

  /** From now on effects wait for `step`. */
  schedule(step: Step): void {
    this.#step = step
    // Soon each engine has to show that it works.
    this.#passed += 5 * stepMs
  }

  /** A point of its own, between two steps of a client. With `beats`, every engine shows that it works. */
  async pause({ beats = false } = {}): Promise<void> {
    await this.#step('client')
    if (!this.isShared) return
    this.#passed += beats ? 2 * stepMs : stepMs
    if (beats) await Promise.all(this.#opened.map(async ({ store }) => store.owner.withSnapshot(() => undefined)))
  }

  #openedOf(client: number): Opened {
    const opened = this.#opened[client % this.#opened.length]
    if (opened === undefined) throw new TypeError('The world has no store yet.')
    return opened
  }

  async #openOne(): Promise<Opened> {
    const state = { isClosed: false }
    const step: Step = async (effect) => {
      // Reads that had begun may end, and bytes no command will name may go: nothing else is touched.
      if (state.isClosed && (effect === 'commit' || effect === 'witness')) this.late.push(effect)
      await this.#step(effect)
    }
    const ports = {
      journal: plainJournal(this.#rows, step, { exclusive: !this.isShared, turns: this.isShared }),
      blobs: steppedBlobs(memoryBlobs(this.#bytes), step),
      // Engines that share a journal do not share a witness.
      ...(!this.isShared && { witness: this.#witness(step) }),
      clock: { now: () => 1_700_000_000_000, monotonic: () => this.#passed },
      ids: randomIds,
      hashing,
      secret,
    }
    return Object.assign(state, { store: await openEngine(ports, { inlineMax: 64 }) })
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

const leaseByte = leaseTable.key('').bytes[0]

function keptLease([key, frame]: Row): readonly string[] {
  const text = key[0] === leaseByte ? Buffer.from(frame).toString('latin1') : ''
  return /"holder":"/.test(text) ? [text] : []
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
