/**
 * What a journal needs of an abstract-level database, by shape: LevelDB, memory-level, or a faulty one in a test.
 * Keys and values are `Uint8Array`s throughout: the database is made with the encoding `view` for both.
 */

export interface LevelDatabase {
  readonly supports: { readonly permanence?: boolean; readonly getSync?: boolean }
  keyEncoding(): { readonly commonName: string }
  valueEncoding(): { readonly commonName: string }
  /** Resolves when the database is open; opens it if it was closed. */
  open(): Promise<void>
  close(): Promise<void>
  get(key: Uint8Array, options: LevelReadOptions): Promise<Uint8Array | undefined>
  getSync(key: Uint8Array, options?: LevelReadOptions): Uint8Array | undefined
  getMany(keys: Uint8Array[], options: LevelReadOptions): Promise<(Uint8Array | undefined)[]>
  batch(): LevelBatch
  iterator(options: LevelIteratorOptions): LevelIterator
  snapshot(): LevelSnapshot
}

/** Gathers changes; all of them happen in `write`, or none. */
export interface LevelBatch {
  put(key: Uint8Array, value: Uint8Array): unknown
  del(key: Uint8Array): unknown
  write(options: LevelWriteOptions): Promise<void>
  /** Gives up what was not written. */
  close(): Promise<void>
}

export interface LevelWriteOptions {
  /** Wait for stable storage. Databases that have none ignore it. */
  readonly sync: boolean
}

export interface LevelReadOptions {
  readonly snapshot?: LevelSnapshot | undefined
}

export interface LevelIteratorOptions extends LevelReadOptions {
  readonly gte: Uint8Array
  readonly lt?: Uint8Array
  readonly lte?: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
  readonly values?: boolean
  /** One `nextv` stops at this many bytes, as far as the database knows the option. */
  readonly highWaterMarkBytes?: number
}

export interface LevelIterator {
  /** An empty array means the end. */
  nextv(size: number): Promise<[Uint8Array, Uint8Array][]>
  seek(target: Uint8Array): void
  close(): Promise<void>
}

/** Opaque to us but for `close`; the reference counts belong to the database. */
export interface LevelSnapshot {
  ref(): void
  unref(): void
  close(): Promise<void>
}
