/** The option `--at`, for commands that can show the store as it was. */
import type { Moment, Seq } from '@varve/core'
import { Option } from 'commander'
import type { PastView, ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from './context.ts'
import { UsageError } from './exit-codes.ts'
import { parseMoment } from './parse-values.ts'

export const momentOption = (): Option =>
  new Option('--at <moment>', 'as of a position in the log, a time such as "2h ago", or a snapshot').argParser(
    parseMoment,
  )

/** The store as it was; a time is told with `noteMoment`. */
export async function atMoment(context: CliContext, store: ReachedStore, moment: Moment): Promise<PastView> {
  const past = await store.at(moment)
  noteMoment(context, moment, past.seq)
  return past
}

/** Tells which time and position were meant, because relative times depend on the clock. */
export function noteMoment({ note }: CliContext, moment: Moment | undefined, position: Seq): void {
  if (moment instanceof Date) note(`As of ${moment.toISOString()}: position ${position}.`)
}

/** @throws UsageError for position 0: a store that is made has an event. */
export function assertWholeMoment(moment: Moment | undefined): void {
  if (moment === 0) throw new UsageError('--at 0: a whole store ends with an event, and the first one has position 1.')
}

/** The position that a store was made of: its last event begins an epoch of its own. */
export const positionBefore = ({ head }: { readonly head: Seq }): Seq => head - 1

/** Shows which times a period is between, because relative times depend on the clock. */
export function notePeriod(
  { note }: CliContext,
  { since, until }: { readonly since?: Moment; readonly until?: Moment },
): void {
  if (since instanceof Date) note(`Since ${since.toISOString()}.`)
  if (until instanceof Date) note(`Until ${until.toISOString()}.`)
}
