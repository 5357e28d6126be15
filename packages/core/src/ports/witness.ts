import type { Seq } from './journal.ts'

/** The end of the log at some moment: its last position and the hash of the event there. */
export interface Tip {
  readonly seq: Seq
  /** SHA-256 of the stored event, base64url. */
  readonly hash: string
}

/**
 * A note of the last known tip, kept outside the journal: a journal that silently lost its tail is caught by it.
 * It may lag behind the log, never run ahead of it.
 */
export interface Witness {
  /** `undefined` when none was ever written; rejects with `LogCorrupt` when it is there but damaged. */
  read(): Promise<Tip | undefined>
  write(tip: Tip): Promise<void>
}
