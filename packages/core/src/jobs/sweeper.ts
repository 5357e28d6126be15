/**
 * Erases bytes that are no longer needed: contents of removed versions once their retention is over, and blobs that no event names.
 *
 * Order is what makes it safe. Bytes go first, then an event notes it: a crash in between leaves garbage that is
 * erased again. Nothing is erased while a read that began before its removal goes on, while its write is in flight,
 * or while the outcome of a commit is unknown.
 */
import type { Content, Erasure } from '../events/index.ts'
import type { BlobId, RowChange, Seq } from '../ports/index.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { GarbageRow, PartRow } from '../views/rows.ts'
import { blobTable, garbageTable, inlineTable, partTable } from '../views/tables.ts'
import { walkRows } from '../reads/row-walk.ts'
import type { Engine } from '../engine/engine.ts'
import type { Jobs } from './jobs.ts'
import { namedInLog } from './named-in-log.ts'

/** What a sweep erased. */
export interface SweepResult {
  /** Contents of removed versions and unused parts that were erased. */
  readonly erased: number
  /** Blobs no event names that were removed. */
  readonly orphans: number
}

const erasuresMax = 500
const partsMax = 1000
const sweepActor = { id: 'varve', name: 'sweep' }

interface Batch {
  readonly erasures: Erasure[]
  readonly blobs: BlobId[]
  readonly inline: BlobId[]
}

export class Sweeper {
  readonly #engine: Engine
  readonly #jobs: Jobs
  #running: Promise<number> | undefined
  #again = false

  constructor(engine: Engine, jobs: Jobs) {
    this.#engine = engine
    this.#jobs = jobs
  }

  /** Erases what is due. Calls that meet a sweep under way share its next round. */
  async eraseGarbage(): Promise<number> {
    if (this.#running !== undefined) {
      this.#again = true
      return this.#running
    }
    if (this.#halted) return 0
    return (this.#running = this.#jobs.run('erasure', () => this.#rounds()))
  }

  /** Resolves when no sweep is under way. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  /**
   * Looks at every blob of the store; for after an unclean end. A missing row alone condemns nothing, since rows can be
   * lost below us without a word: what the log still names is kept.
   */
  removeOrphans(): Promise<number> {
    return this.#jobs.run('orphans', () => this.#removeOrphans())
  }

  async #removeOrphans(): Promise<number> {
    const { ports, inFlight, writer } = this.#engine
    const rows = committedRows(ports.journal, ports.hashing)
    const candidates = new Set<BlobId>()
    for await (const id of ports.blobs.list()) {
      // In flight first: a write that is committed in between has its row by the time the row is read.
      if (!inFlight.has(id) && (await rows.get(blobTable.key(id))) === undefined) candidates.add(id)
    }
    if (candidates.size === 0 || this.#halted) return 0
    const named = await namedInLog(ports, writer.committed, candidates)
    const orphans = [...candidates].filter((id) => !named.has(id))
    if (this.#halted) return 0
    await ports.blobs.delete(orphans)
    return orphans.length
  }

  get #halted(): boolean {
    return this.#engine.closed || this.#engine.writer.failure !== undefined
  }

  async #rounds(): Promise<number> {
    let erased = 0
    try {
      for (;;) {
        this.#again = false
        const count = this.#halted ? 0 : await this.#round()
        erased += count
        if (count === 0 && !this.#again) return erased
      }
    } finally {
      // In the same moment as the last look at `#again`: a call in between would share a sweep that is over.
      this.#running = undefined
    }
  }

  #round(): Promise<number> {
    const { reads, writer } = this.#engine
    const horizon = Math.min(reads.oldest, writer.committed)
    return reads.erase(horizon, () => this.#erase(horizon))
  }

  async #erase(horizon: Seq): Promise<number> {
    const { ports } = this.#engine
    const batch = await this.#due(horizon)
    if (batch.erasures.length === 0) return 0
    try {
      await ports.blobs.delete(batch.blobs)
    } catch (error) {
      throw this.#engine.requests.stopOnMediumFailure(error)
    }
    const inlineRows = batch.inline.map((id): RowChange => ({ key: inlineTable.key(id), value: null }))
    const meta = { by: sweepActor, requestId: ports.ids.next() }
    await this.#engine.writer.submit({ type: 'EraseContents', data: { erased: batch.erasures }, meta }, inlineRows)
    for (const { content } of batch.erasures) {
      if (content.kind === 'parts') this.#engine.requests.manifests.forget(content.upload)
    }
    return batch.erasures.length
  }

  /** The oldest garbage whose retention is over and that no read can still be looking at. */
  async #due(horizon: Seq): Promise<Batch> {
    const { ports, clock, writer } = this.#engine
    clock.observe(writer.committed)
    const rows = committedRows(ports.journal, ports.hashing)
    const batch: Batch = { erasures: [], blobs: [], inline: [] }
    const walk = walkRows<GarbageRow>(ports.journal, ports.hashing, garbageTable.range)
    try {
      while (batch.erasures.length < erasuresMax && batch.blobs.length + batch.inline.length < partsMax) {
        const found = await walk.next()
        if (found === undefined) return batch
        const place = garbageTable.place(found.key)
        if (place.freedBy > horizon || !clock.isPastRetention(place.freedBy, found.row.at)) return batch
        batch.erasures.push(await addErasure(rows, batch, place, found.row.content))
      }
      return batch
    } finally {
      await walk.close()
    }
  }
}

async function addErasure(
  rows: Rows,
  batch: Batch,
  place: { readonly freedBy: number; readonly index: number },
  content: Content,
): Promise<Erasure> {
  addBlob(batch, content)
  if (content.kind !== 'parts') return { ...place, content }
  const all = await rows.all<PartRow>(partTable.ofUpload(content.upload))
  const parts = all.slice(0, partsMax)
  for (const { row } of parts) addBlob(batch, row.content)
  const partNumbers = parts.map(({ key }) => partTable.number(key))
  return { ...place, content, partNumbers, ...(parts.length < all.length && { continues: true }) }
}

function addBlob({ blobs, inline }: Batch, content: Content): void {
  if (content.kind === 'blob') (content.blob.inline ? inline : blobs).push(content.blob.id)
}
