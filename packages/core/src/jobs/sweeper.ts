/**
 * Erases bytes that are no longer needed: contents of removed versions after the retention, and blobs no event names.
 *
 * The order makes this safe. Bytes are erased before an event records it, so a crash in between leaves garbage that is
 * erased again. Nothing is erased while a read that began before the removal is in progress, while its write is in
 * flight, or while the outcome of a commit is unknown.
 */
import type { Content, Erasure } from '../events/index.ts'
import type { BlobId, RowChange, RowReader, Seq } from '../ports/index.ts'
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
  /** Blobs that were removed because no event names them. */
  readonly orphans: number
}

const erasuresMax = 500
const partsMax = 1000
const sweepActor = { id: 'varve', name: 'sweep' }

interface Batch {
  readonly erasures: Erasure[]
  readonly blobs: BlobId[]
  readonly inline: BlobId[]
  /** The key of the first garbage that is left when the batch is erased; all keys before it are gone. */
  next: Uint8Array
}

export class Sweeper {
  readonly #engine: Engine
  readonly #jobs: Jobs
  #running: Promise<number> | undefined
  #again = false
  /**
   * There is no garbage before this key: garbage is erased in the order of its keys, and new garbage comes last. LevelDB
   * would walk over every row that it has deleted lately.
   */
  #from = garbageTable.range.gte

  constructor(engine: Engine, jobs: Jobs) {
    this.#engine = engine
    this.#jobs = jobs
  }

  /** Erases what is due. Calls during a sweep share its next round. */
  async eraseGarbage(): Promise<number> {
    if (this.#running !== undefined) {
      this.#again = true
      return this.#running
    }
    if (this.#halted) return 0
    const running = this.#jobs.run('erasure', () => this.#rounds())
    this.#running = running
    try {
      return await running
    } finally {
      // If another engine sweeps, the rounds never began.
      if (this.#running === running) this.#running = undefined
    }
  }

  /** Resolves when no sweep is in progress. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  /**
   * Checks every blob of the store; for the time after a crash. A missing row is not enough to delete a blob, because
   * the database can lose rows silently: a blob that the log still names is kept.
   */
  removeOrphans(): Promise<number> {
    return this.#jobs.run('orphans', () => this.#removeOrphans())
  }

  async #removeOrphans(): Promise<number> {
    const { ports, inFlight, sharing } = this.#engine
    const rows = committedRows(ports.journal, ports.hashing)
    const candidates = new Set<BlobId>()
    for await (const id of ports.blobs.list()) {
      // Check `inFlight` before the row: a write that is committed in between has its row when the row is read.
      if (!(await inFlight.has(id)) && (await rows.get(blobTable.key(id))) === undefined) candidates.add(id)
    }
    await sharing.clearStaleMarks()
    if (candidates.size === 0 || this.#halted) return 0
    const named = await namedInLog(ports, await ports.journal.head(), candidates)
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
      // No `await` since the last check of `#again`: a call in between would share a sweep that has ended.
      this.#running = undefined
    }
  }

  #round(): Promise<number> {
    const { reads, writer, sharing } = this.#engine
    const upTo = Math.min(reads.oldest, writer.committed)
    return reads.erase(upTo, () => sharing.erasing(upTo, (horizon) => this.#erase(horizon)))
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
    const sideRows = batch.inline.map((id): RowChange => ({ key: inlineTable.key(id), value: null }))
    const meta = { by: sweepActor, requestId: ports.ids.next(), job: 'erasure' }
    await this.#engine.writer.submit({ type: 'EraseContents', data: { erased: batch.erasures }, meta }, sideRows)
    this.#from = batch.next
    return batch.erasures.length
  }

  /**
   * The oldest garbage whose retention is over and that no read can still use. Where another engine may compute the
   * views, they are read in one state and whole: a missing row of a part would leave its bytes for ever.
   */
  #due(horizon: Seq): Promise<Batch> {
    const { clock, ports, sharing, writer } = this.#engine
    clock.observe(writer.committed)
    if (!sharing.isShared) return this.#dueIn(ports.journal, horizon)
    return this.#engine.withSnapshot((reader) => this.#dueIn(reader, horizon))
  }

  async #dueIn(reader: RowReader, horizon: Seq): Promise<Batch> {
    const { ports, clock } = this.#engine
    const rows = committedRows(reader, ports.hashing)
    const batch: Batch = { erasures: [], blobs: [], inline: [], next: this.#from }
    const range = { ...garbageTable.range, gte: this.#from }
    const walk = walkRows<GarbageRow>(reader, ports.hashing, range)
    let isWhole = true
    try {
      while (batch.erasures.length < erasuresMax && batch.blobs.length + batch.inline.length < partsMax) {
        const found = await walk.next()
        if (found === undefined) return batch
        const place = garbageTable.place(found.key)
        if (place.freedBy > horizon || !clock.isPastRetention(place.freedBy, found.row.at)) return batch
        const erasure = await addErasure(rows, batch, place, found.row.content)
        batch.erasures.push(erasure)
        isWhole &&= erasure.continues !== true
        if (isWhole) batch.next = Uint8Array.of(...found.key, 0)
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
