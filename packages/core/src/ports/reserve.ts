/**
 * Space kept free so that the journal never meets a full disk in the middle of a commit. Below the low-water mark,
 * writes that grow the store are refused with `NoSpace`; reads and deletes still work.
 */
export interface Reserve {
  /** The size of the medium and its free room. Absent if they are not known. As old as the result of `exhausted`. */
  room?(): Promise<Room>
  /**
   * True if the medium is below the low-water mark. Cheap: adapters may return a result up to a second old, unless it is to
   * be `fresh`.
   */
  exhausted(options?: { readonly fresh?: boolean }): boolean | Promise<boolean>
}

/** In bytes. */
export interface Room {
  /** The size of the whole medium. */
  readonly total: number
  readonly free: number
  /** The low-water mark: with less free room, writes are refused. */
  readonly reserved: number
}
