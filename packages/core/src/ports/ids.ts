/** Unguessable ids. */
export interface Ids {
  /** 32 lower-case hex digits, 128 random bits. */
  next(): string
}
