/** Whatever keeps objects by key: a store, a naive program, a raw log. One small surface, so that all do the same work. */
export interface ObjectTarget {
  /** Resolves when the bytes are as safe as the target ever makes them. */
  put(key: string, body: Uint8Array): Promise<void>
  /** All bytes; `undefined` where there is no such object. */
  get(key: string): Promise<Uint8Array | undefined>
  /** The size. */
  head(key: string): Promise<number | undefined>
  /** How many of up to 1000 entries behind a key there are. */
  list(after: string): Promise<number>
  delete(key: string): Promise<void>
  close(): Promise<void>
}

export const pageEntries = 1000
