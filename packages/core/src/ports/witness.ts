import type { Seq } from './journal.ts'

/** The end of the log at some moment: its last position and the hash of that event. */
export interface Tip {
  readonly seq: Seq
  /** SHA-256 of the stored event, base64url. */
  readonly hash: string
}

/**
 * Stores the last known tip outside the journal, to detect a journal that silently lost its end.
 * The stored tip may lag behind the log, but never be ahead of it.
 */
export interface Witness {
  /** `undefined` if none was ever written; rejects with `LogCorrupt` if it is damaged. */
  read(): Promise<Tip | undefined>
  write(tip: Tip): Promise<void>
  /** Called at once for each tip, while `write` is called for some of them. It must cost nothing. */
  note?(tip: Tip): void
}
