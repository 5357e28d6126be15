import type { Journal } from './journal.ts'

/** An empty journal for a verification. It may be lost at any time. */
export interface Scratch {
  readonly journal: Journal
  /** Closes the journal and removes it. */
  remove(): Promise<void>
}
