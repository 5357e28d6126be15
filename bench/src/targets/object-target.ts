/** Keeps objects by key: a store, a simple program, or a raw log. One small interface, so that all do the same work. */
export interface ObjectTarget {
  /** Resolves when the bytes are as durable as the target can make them. */
  put(key: string, body: Uint8Array): Promise<void>
  /** All bytes; `undefined` if there is no such object. */
  get(key: string): Promise<Uint8Array | undefined>
  /** The size of the object in bytes. */
  head(key: string): Promise<number | undefined>
  /** The number of entries after a key, up to 1000. */
  list(after: string): Promise<number>
  delete(key: string): Promise<void>
  close(): Promise<void>
}

export const pageEntries = 1000
