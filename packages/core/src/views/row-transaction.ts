/**
 * The rows of one unfinished commit. Reads see its own changes first, then the committed state. That state must not
 * change meanwhile, because each of its rows is read only once. Nothing is written until `changes` is passed to the
 * journal.
 */
import { byteString } from '../bytes/bytes.ts'
import { isStorageError } from '../base/errors.ts'
import { type Soon, soonOrFailed, whenThere } from '../base/soon.ts'
import type { Hashing, RowChange, RowRange, Seq } from '../ports/index.ts'
import { NamesInOrder } from './names-in-order.ts'
import type { OpenParts, PartsByNumber } from './open-parts.ts'
import { RowEncoder } from './row-codec.ts'
import type { KeyedRow, Rows } from './row-reader.ts'
import type { PartRow } from './rows.ts'
import type { RowKey } from './row-key.ts'
import { partTable } from './tables.ts'

class Change {
  readonly key: Uint8Array
  readonly row: object | null
  /** The frame of the row, once it is encoded. */
  frame: Uint8Array | undefined

  constructor(key: Uint8Array, row: object | null) {
    this.key = key
    this.row = row
  }
}

export class RowTransaction implements Rows {
  readonly #committed: Rows
  readonly #encoder: RowEncoder
  readonly #openParts: OpenParts | undefined
  readonly #changes = new Map<string, Change>()
  /** The rows that were read from the committed state. */
  readonly #read = new Map<string, unknown>()
  readonly #names = new NamesInOrder(this.#changes)
  /** The previous values of rows that were changed since the last savepoint. Absent until there is one. */
  #undo: [name: string, before: Change | undefined][] | undefined
  #fault: unknown

  /** `openParts`, if given, must belong to the same committed state. */
  constructor(committed: Rows, hashing: Hashing, openParts?: OpenParts) {
    this.#committed = committed
    this.#encoder = new RowEncoder(hashing)
    this.#openParts = openParts
  }

  /** The error of a failed read of the committed state: no command of this commit can be decided then. */
  get fault(): unknown {
    return this.#fault
  }

  /** The number of rows changed so far. */
  get size(): number {
    return this.#changes.size
  }

  get<R>(key: RowKey<R>): Soon<R | undefined> {
    const { name } = key
    const known = this.#known(name)
    if (known !== undefined) return known.row as R | undefined
    const reading = this.#watched(() => this.#committed.get(key))
    return whenThere(reading, (row) => {
      this.#read.set(name, row)
      return row
    })
  }

  /** The row, if it was read or changed before, so that no read is needed. */
  known<R>(key: RowKey<R>): { readonly row: R | undefined } | undefined {
    return this.#known(key.name) as { readonly row: R | undefined } | undefined
  }

  /** Keeps a row of the committed state, so that `get` need not read it. */
  keep<R>({ name }: RowKey<R>, row: R | undefined): void {
    this.#read.set(name, row)
  }

  put<R extends object>(key: RowKey<R>, row: R): void {
    this.#change(key, row)
  }

  delete(key: RowKey<unknown>): void {
    this.#change(key, null)
  }

  async first<R>(range: RowRange): Promise<KeyedRow<R> | undefined> {
    const own = this.#within(range)
    const committed = await this.#firstUnchanged<R>(range)
    if (own.length === 0) return committed
    const candidates = own.flatMap(([name, { key, row }]) => (row === null ? [] : [{ name, key, row: row as R }]))
    if (committed !== undefined) candidates.push({ name: byteString(committed.key), ...committed })
    candidates.sort((a, b) => (a.name < b.name ? -1 : 1))
    return range.reverse ? candidates.at(-1) : candidates[0]
  }

  async all<R>(range: RowRange): Promise<readonly KeyedRow<R>[]> {
    const committed = await this.#watched(() => this.#committed.all<R>(range))
    const changes = this.#within(range)
    if (changes.length === 0) return committed
    const merged = new Map(committed.map((row) => [byteString(row.key), row]))
    for (const [name, { key, row }] of changes) {
      if (row === null) merged.delete(name)
      else merged.set(name, { key, row: row as R })
    }
    const ordered = [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
    return range.reverse ? ordered.reverse() : ordered
  }

  /** All parts of an upload in the order of their numbers. */
  async parts(upload: Seq): Promise<PartsByNumber> {
    const range = partTable.ofUpload(upload)
    const known = this.#within(range).length === 0 ? this.#openParts?.of(upload) : undefined
    if (known !== undefined) return known
    return new Map((await this.all<PartRow>(range)).map(({ key, row }) => [partTable.number(key), row]))
  }

  /** `rollBack` undoes the changes that follow. */
  savepoint(): void {
    this.#undo = []
  }

  /** Undoes the changes since the last savepoint. */
  rollBack(): void {
    for (const [name, before] of this.#undo?.splice(0).reverse() ?? []) {
      if (before === undefined) this.#changes.delete(name)
      else this.#changes.set(name, before)
    }
    this.#names.forget()
  }

  /**
   * Encodes the rows that were changed since the last savepoint, so that no unreadable row is committed.
   * @throws StorageError `InternalError` for a row that its table cannot express
   */
  assertReadable(): void {
    for (const [name] of this.#undo ?? []) this.#framed(this.#changes.get(name) as Change)
  }

  /** Visits the rows that were put so far. */
  eachPut(visit: (key: Uint8Array, row: object) => void): void {
    for (const { key, row } of this.#changes.values()) if (row !== null) visit(key, row)
  }

  /** The keys of the rows that were changed so far. */
  changedNames(): readonly string[] {
    return [...this.#changes.keys()]
  }

  /** The changes since the last savepoint, framed. */
  changesSinceSavepoint(): RowChange[] {
    const names = new Set(this.#undo?.map(([name]) => name))
    return Array.from(names, (name) => {
      const change = this.#changes.get(name) as Change
      return { key: change.key, value: this.#framed(change) }
    })
  }

  /** The changes so far, framed. */
  changes(): RowChange[] {
    const changes: RowChange[] = []
    for (const change of this.#changes.values()) changes.push({ key: change.key, value: this.#framed(change) })
    return changes
  }

  #framed(change: Change): Uint8Array | null {
    const { key, row } = change
    return row === null ? null : (change.frame ??= this.#encoder.encode(key, row))
  }

  #known(name: string): { readonly row: unknown } | undefined {
    const change = this.#changes.get(name)
    if (change !== undefined) return { row: change.row ?? undefined }
    const row = this.#read.get(name)
    return row !== undefined || this.#read.has(name) ? { row } : undefined
  }

  #watched<T>(read: () => Soon<T>): Soon<T> {
    return soonOrFailed(read, (error) => {
      // A damaged row only refuses the commands that need it, because the medium itself works.
      if (!isStorageError(error, 'RowCorrupt')) this.#fault ??= error
      throw error
    })
  }

  #change({ bytes, name }: RowKey<unknown>, row: object | null): void {
    this.#names.note(name)
    this.#undo?.push([name, this.#changes.get(name)])
    this.#changes.set(name, new Change(bytes, row))
  }

  /** The first committed row of the range that this transaction has not touched. */
  async #firstUnchanged<R>(range: RowRange): Promise<KeyedRow<R> | undefined> {
    for (let rest = range; ; ) {
      const found = await this.#watched(() => this.#committed.first<R>(rest))
      if (found === undefined || !this.#changes.has(byteString(found.key))) return found
      rest = range.reverse ? { ...rest, lt: found.key } : { ...rest, gte: Uint8Array.of(...found.key, 0) }
    }
  }

  #within(range: RowRange): [string, Change][] {
    return this.#names
      .within(byteString(range.gte), byteString(range.lt))
      .map((name) => [name, this.#changes.get(name) as Change])
  }
}
