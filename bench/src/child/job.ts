/** The messages to a child process and its replies. Plain data, over the channel that `fork` opens. */
import type { Used } from '../meter/meter.ts'
import type { Rival } from '../rivals/rival.ts'
import type { Workload } from '../workloads/workload.ts'
import type { RoundFigures } from './measure-round.ts'

export interface Job {
  /** `run` does the work itself; `serve` answers over HTTP; `generate` sends requests to `url`. */
  readonly role: 'run' | 'serve' | 'generate'
  /** The name of a layout, of a floor or of the rival. */
  readonly contender: string
  readonly rival?: Rival
  readonly workload: Workload
  /** Exists and is empty. The parent process removes it. */
  readonly directory: string
  readonly seed: number
  readonly url?: string
}

export type Order =
  | { readonly do: 'prepare'; readonly job: Job }
  | { readonly do: 'round'; readonly round: number }
  /** Prepares a round as a separate step, so that the measurement of another process can begin after it. */
  | { readonly do: 'ready'; readonly round: number }
  | { readonly do: 'begin' }
  | { readonly do: 'end' }
  | { readonly do: 'finish' }

export interface Answers {
  prepare: { readonly url?: string }
  round: RoundFigures
  ready: null
  begin: null
  end: Used
  finish: { readonly live?: number }
}

export type Reply = { readonly ok: unknown } | { readonly error: { readonly name: string; readonly message: string } }

/** Handles orders one after another. */
export interface Worker {
  take<O extends Order>(order: O): Promise<Answers[O['do']]>
}
