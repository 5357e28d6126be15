/**
 * The part of an abstract-level database that a journal needs, by shape: LevelDB, memory-level, or a faulty one in a
 * test. Keys and values are always `Uint8Array`s: the database is created with the encoding `view` for both.
 */

export interface LevelDatabase {
  readonly supports: { readonly permanence?: boolean; readonly getSync?: boolean }
  /** `format`: the form in which the database itself handles keys of the encoding, if it has more than one. */
  keyEncoding(encoding?: KeyEncoding): { readonly commonName: string; readonly format?: string }
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
  /** Rewrites the tables that have keys of a range, so that nothing is left of deleted rows. */
  compactRange?(from: Uint8Array, to: Uint8Array): Promise<void>
}

/** Gathers changes; `write` applies all of them or none. */
export interface LevelBatch {
  put(key: Uint8Array, value: Uint8Array): unknown
  del(key: Uint8Array): unknown
  write(options: LevelWriteOptions): Promise<void>
  /** Discards the changes that were not written. */
  close(): Promise<void>
}

export interface LevelWriteOptions {
  /** Wait for stable storage. Databases without stable storage ignore it. */
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
  /** How the database decodes keys. Without it, they are bytes. */
  readonly keyEncoding?: KeyEncoding | undefined
  /** One `nextv` stops at this many bytes, if the database supports the option. */
  readonly highWaterMarkBytes?: number
}

/** Keys that are read as text. Bounds and targets of seeks stay bytes. */
export interface KeyEncoding {
  readonly name: string
  readonly format: 'utf8'
  encode(key: Uint8Array): Uint8Array
  decode(text: string): string
}

/** `K`: text too if the iterator was made with a `KeyEncoding`. */
export interface LevelIterator<K = Uint8Array> {
  /** An empty array means the end. */
  nextv(size: number): Promise<[K, Uint8Array][]>
  seek(target: Uint8Array): void
  close(): Promise<void>
}

/** Opaque except for `close`; the database counts the references. */
export interface LevelSnapshot {
  ref(): void
  unref(): void
  close(): Promise<void>
}
