/** A cursor over the rows of one state: merges the layers in memory and the views. A newer state hides an older one. */
import type { Row, RowCursor, RowRange } from '@varve/core'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { levelCursor } from '../level-journal/level-cursor.ts'
import type { HeldState, ReaderParts } from './reader-parts.ts'
import { LayerWalk, type WalkedRow } from './layer-walk.ts'
import type { Place } from './format/log-position.ts'
import { isPlace, readPlaces, valueOf } from './long-values.ts'
import { keyOf, rowName } from '../journal-kit/row-name.ts'
import type { Pin, SegmentFiles } from './segment-files.ts'
import { decodeRow } from './format/view-entries.ts'

/** A row for the caller, whose value may still be in the log. */
type FoundRow = readonly [key: Uint8Array, value: Uint8Array | Place]

export class MergedCursor implements RowCursor {
  readonly #db: LevelDatabase
  readonly #gate: JournalGate
  readonly #files: SegmentFiles
  readonly #pin: Pin
  readonly #held: HeldState | undefined
  /** The newest first. */
  readonly #walks: readonly LayerWalk[]
  readonly #views: RowCursor
  readonly #reverse: boolean
  #page: readonly Row[] = []
  #at = 0
  #viewsEnded = false
  #closed = false

  /** @throws StorageError `JournalClosed` */
  constructor({ db, gate, overlay, files }: ReaderParts, range: RowRange, held?: HeldState) {
    this.#db = db
    this.#gate = gate
    this.#files = files
    this.#views = levelCursor(this.#db, gate, range, held?.snapshot)
    this.#held = held
    this.#pin = held?.pin ?? files.pin()
    const { layers, commit } = held?.layers ?? overlay.pin()
    this.#walks = layers.filter(({ size }) => size > 0).map((layer) => new LayerWalk(layer, commit, range))
    this.#reverse = range.reverse === true
  }

  next(count: number): Promise<readonly Row[]> {
    return this.#gate.read(async () => {
      if (this.#closed) throw new TypeError('The cursor is closed.')
      this.#held?.assertHeld()
      const rows: FoundRow[] = []
      while (rows.length < count) {
        if (this.#at === this.#page.length && !this.#viewsEnded) await this.#load(count)
        if (!this.#merge(rows, count)) break
      }
      return this.#resolve(rows)
    })
  }

  seek(key: Uint8Array): void {
    const name = rowName(key)
    for (const walk of this.#walks) walk.seek(name)
    this.#views.seek(key)
    this.#page = []
    this.#at = 0
    this.#viewsEnded = false
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#held === undefined) this.#pin.release()
    await this.#views.close()
  }

  async #load(count: number): Promise<void> {
    this.#page = await this.#views.next(count)
    this.#at = 0
    this.#viewsEnded = this.#page.length === 0
  }

  /** Takes rows until there are enough or the page is used up. False when no source has more rows. */
  #merge(rows: FoundRow[], count: number): boolean {
    while (rows.length < count) {
      const recent = this.#recent()
      const stored = this.#page[this.#at]
      if (stored === undefined && !this.#viewsEnded) return true
      if (recent === undefined) {
        if (stored === undefined) return false
        this.#takeStored(rows, stored)
        continue
      }
      const order = stored === undefined ? -1 : this.#compare(recent.entry.name, rowName(stored[0]))
      if (order > 0) this.#takeStored(rows, stored as Row)
      else {
        if (order === 0) this.#at++
        this.#takeRecent(rows, recent)
      }
    }
    return true
  }

  #takeStored(rows: FoundRow[], [key, entry]: Row): void {
    this.#at++
    rows.push([key, decodeRow(key, entry)])
  }

  #takeRecent(rows: FoundRow[], { entry, state }: WalkedRow): void {
    for (const walk of this.#walks) if (walk.head?.entry.name === entry.name) walk.next()
    if (state.found !== null) rows.push([keyOf(entry.name), state.found])
  }

  /** The first row of the layers; of several states the newest. */
  #recent(): WalkedRow | undefined {
    let first: WalkedRow | undefined
    for (const walk of this.#walks) {
      const { head } = walk
      if (head !== undefined && (first === undefined || this.#compare(head.entry.name, first.entry.name) < 0))
        first = head
    }
    return first
  }

  #compare(a: string, b: string): number {
    if (a === b) return 0
    return a < b !== this.#reverse ? -1 : 1
  }

  async #resolve(rows: readonly FoundRow[]): Promise<Row[]> {
    const values = rows.map(([, value]) => value)
    const read = values.some(isPlace) ? await readPlaces(this.#files, this.#pin, values) : values.map(valueOf)
    return rows.map(([key], i) => [key, read[i] as Uint8Array])
  }
}
