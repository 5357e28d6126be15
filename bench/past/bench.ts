import type { Rounds } from './comparing.ts'

/** What the parts of the bench share. */
export interface PastBench extends Rounds {
  /** A directory of their own. */
  readonly directory: string
  /** A number of operations or objects, by the scale of this run; at least 2. */
  scaled(count: number): number
}
