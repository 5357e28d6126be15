/** Contents that are erased together, and the bytes that this deletes. */
import type { Content, Erasure } from '../events/index.ts'
import type { BlobId, Hashing, RowReader, Seq } from '../ports/index.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { GarbageRow, PartRow, Pin } from '../views/rows.ts'
import { isPinned } from '../views/pins.ts'
import { erasingTable, type GarbagePlace } from '../views/content-tables.ts'
import { garbageInOrder } from './garbage-in-order.ts'
import { dataKeyTable, inlineTable, partTable } from '../views/tables.ts'

const erasuresMax = 500
const partsMax = 1000

export class ErasureBatch {
  readonly erasures: Erasure[] = []
  readonly blobs: BlobId[] = []
  readonly inline: BlobId[] = []
  /** The keys of the rows with inline bytes and with data keys. */
  readonly sideRows: Uint8Array[] = []
  /** Garbage that is due and that a snapshot keeps. */
  readonly pinned: GarbagePlace[] = []
  readonly #rows: Rows

  constructor(rows: Rows) {
    this.#rows = rows
  }

  get isFull(): boolean {
    return (
      this.erasures.length + this.pinned.length >= erasuresMax || this.blobs.length + this.inline.length >= partsMax
    )
  }

  get isEmpty(): boolean {
    return this.erasures.length + this.pinned.length === 0
  }

  /** True if parts of a content are left for the next batch. */
  get continues(): boolean {
    return this.erasures.some(({ continues }) => continues === true)
  }

  /** Adds garbage that is due, but only so that it is set aside if a snapshot keeps it. */
  async take(place: GarbagePlace, garbage: GarbageRow, pins: readonly Pin[]): Promise<void> {
    if (isPinned(place, garbage, pins)) this.pinned.push(place)
    else await this.add(place, garbage.content)
  }

  async add({ freedBy, index }: GarbagePlace, content: Content): Promise<void> {
    this.#addBlob(content)
    const place = { freedBy, index }
    if (content.kind !== 'parts') {
      this.erasures.push({ ...place, content })
      return
    }
    const all = await this.#rows.all<PartRow>(partTable.ofUpload(content.upload))
    const parts = all.slice(0, partsMax)
    for (const { row } of parts) this.#addBlob(row.content)
    const partNumbers = parts.map(({ key }) => partTable.number(key))
    this.erasures.push({ ...place, content, partNumbers, ...(parts.length < all.length && { continues: true }) })
  }

  #addBlob(content: Content): void {
    if (content.kind !== 'blob') return
    const { id, inline } = content.blob
    if (inline) this.sideRows.push(inlineTable.key(id))
    if (content.sealed !== undefined) this.sideRows.push(dataKeyTable.key(id))
    const ids = inline ? this.inline : this.blobs
    ids.push(id)
  }
}

interface Started {
  readonly batch: ErasureBatch
  /** A read in progress needs bytes whose erasure has started. */
  readonly isBlocked: boolean
}

/** The contents whose erasure has started, as many as a batch has. `horizon`: no read in progress began before it. */
export async function startedErasures(reader: RowReader, hashing: Hashing, horizon: Seq): Promise<Started> {
  const batch = new ErasureBatch(committedRows(reader, hashing))
  for await (const { place, row } of garbageInOrder(reader, hashing, erasingTable.range)) {
    if (place.freedBy > horizon) return { batch, isBlocked: true }
    if (batch.isFull) break
    await batch.add(place, row.content)
  }
  return { batch, isBlocked: false }
}
