/** The database the journal runs on: `LevelDatabase` over a row image. What LevelDB does off the main thread is an effect. */
import type { LevelDatabase } from '@varve/adapters'
import { StorageError } from '@varve/core'
import {
  applyChanges,
  noRows,
  placeOf,
  reopenRows,
  type RowChange,
  type RowImage,
  syncLog,
  type Table,
} from './row-image.ts'
import type { Effects, Label } from './world.ts'

type Batch = ReturnType<LevelDatabase['batch']>
type Iterator = ReturnType<LevelDatabase['iterator']>
type IteratorOptions = Parameters<LevelDatabase['iterator']>[0]
type Snapshot = ReturnType<LevelDatabase['snapshot']>

/** The machine's one database. It outlives the connections that are opened to it. */
export class SimRows {
  image: RowImage
  readonly effects: Effects
  constructor(effects: Effects, image: RowImage) {
    this.effects = effects
    this.image = image
  }

  /** As LevelDB opens: made where there is none, if allowed; recovered from its log otherwise. */
  open(createIfMissing: boolean): Promise<LevelDatabase> {
    return this.effects.effect(openrows, () => {
      if (this.image.exists === 'no') {
        if (!createIfMissing)
          throw new StorageError('LogCorrupt', 'The log is missing.', { details: { kind: 'missing' } })
        this.image = { ...noRows, exists: 'unsynced' }
      } else {
        this.image = reopenRows(this.image)
      }
      return new SimLevel(this)
    })
  }

  /** The directory of the database was synced: its files keep their names. */
  namesDurable(): void {
    if (this.image.exists === 'unsynced') this.image = { ...this.image, exists: 'yes' }
  }
}

class SimSnapshot implements Snapshot {
  readonly table: Table
  constructor(table: Table) {
    this.table = table
  }
  ref(): void {}
  unref(): void {}
  async close(): Promise<void> {}
}

class SimLevel implements LevelDatabase {
  readonly supports = { permanence: true, getSync: true }
  readonly #rows: SimRows
  #open = true

  constructor(rows: SimRows) {
    this.#rows = rows
  }

  keyEncoding = () => ({ commonName: 'view' })
  valueEncoding = () => ({ commonName: 'view' })
  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.#open = false
    await this.#rows.effects.effect(closerows, () => undefined)
  }

  getSync(key: Uint8Array, options?: { readonly snapshot?: Snapshot | undefined }): Uint8Array | undefined {
    return find(this.#table(options?.snapshot), nameOf(key))
  }

  get(key: Uint8Array, options: { readonly snapshot?: Snapshot | undefined }): Promise<Uint8Array | undefined> {
    return this.#rows.effects.effect(get, () => this.getSync(key, options))
  }

  async getMany(keys: Uint8Array[], options: { readonly snapshot?: Snapshot | undefined }) {
    const table = this.#table(options.snapshot)
    return this.#rows.effects.effect(get, () => keys.map((key) => find(table, nameOf(key))))
  }

  batch(): Batch {
    const changes: RowChange[] = []
    return {
      put: (key, value) =>
        changes.push({ name: nameOf(key), key: Uint8Array.from(key), value: Uint8Array.from(value) }),
      del: (key) => changes.push({ name: nameOf(key), key, value: undefined }),
      write: ({ sync }) => this.#write(changes, sync),
      close: async () => undefined,
    }
  }

  iterator(options: IteratorOptions): Iterator {
    return new SimIterator(this.#rows.effects, within(this.#table(options.snapshot), options), options.reverse === true)
  }

  snapshot(): Snapshot {
    return new SimSnapshot(this.#table())
  }

  #table(snapshot?: Snapshot): Table {
    if (!this.#open) throw Object.assign(new Error('Database is not open'), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    return snapshot instanceof SimSnapshot ? snapshot.table : this.#rows.image.seen
  }

  async #write(changes: readonly RowChange[], sync: boolean): Promise<void> {
    const rows = this.#rows
    this.#table()
    if (rows.image.latched) throw Object.assign(new Error('IO error'), { code: 'LEVEL_IO_ERROR' })
    const record = (entry: readonly RowChange[] | 'torn') => () => {
      rows.image = { ...rows.image, log: [...rows.image.log, entry] }
    }
    await rows.effects.effect(append, record(changes), record('torn'))
    if (sync) {
      const latch = () => {
        rows.image = { ...rows.image, latched: true }
      }
      await rows.effects.effect(syncrows, () => void (rows.image = syncLog(rows.image)), latch)
    }
    rows.image = { ...rows.image, seen: applyChanges(rows.image.seen, changes) }
  }
}

class SimIterator implements Iterator {
  readonly #effects: Effects
  readonly #rows: Table
  readonly #reverse: boolean
  #at = 0

  constructor(effects: Effects, rows: Table, reverse: boolean) {
    this.#effects = effects
    this.#rows = reverse ? rows.toReversed() : rows
    this.#reverse = reverse
  }

  nextv(size: number): Promise<[Uint8Array, Uint8Array][]> {
    return this.#effects.effect(nextv, () => {
      const page = this.#rows.slice(this.#at, this.#at + size)
      this.#at += page.length
      return page.map(({ key, value }) => [key, value])
    })
  }

  seek(target: Uint8Array): void {
    const name = nameOf(target)
    const at = this.#rows.findIndex((row) => (this.#reverse ? row.name <= name : row.name >= name))
    this.#at = at < 0 ? this.#rows.length : at
  }

  async close(): Promise<void> {}
}

const label = (operation: string): Label => ({ operation, subject: 'log' })
const [openrows, closerows, get, append, syncrows, nextv] = [
  'openrows',
  'closerows',
  'get',
  'append',
  'syncrows',
  'nextv',
].map(label) as [Label, Label, Label, Label, Label, Label]

const nameOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')

function find(table: Table, name: string): Uint8Array | undefined {
  const entry = table[placeOf(table, name)]
  return entry?.name === name ? entry.value : undefined
}

function within(table: Table, { gte, lt, lte, reverse, limit }: IteratorOptions): Table {
  const end =
    lt === undefined
      ? lte === undefined
        ? table.length
        : placeOf(table, `${nameOf(lte)}\0`)
      : placeOf(table, nameOf(lt))
  const rows = table.slice(placeOf(table, nameOf(gte)), end)
  if (limit === undefined) return rows
  return reverse === true ? rows.slice(-limit) : rows.slice(0, limit)
}
