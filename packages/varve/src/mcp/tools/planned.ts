/** Destructive calls: first a plan, and with its id the same again. */
import type { Seq } from '@varve/core'
import { digestOf } from '../session/plans.ts'
import type { ToolAnswer, ToolCall } from './tool.ts'

interface Destructive<P> {
  /** What would be done. @param moment The position of the plan that is confirmed. */
  plan(moment: Seq | undefined): Promise<P>
  /** All that must be the same when it is confirmed, as JSON. */
  stateOf(plan: P): unknown
  /** The position that a moment stood for. */
  momentOf?(plan: P): Seq
  isEmpty(plan: P): boolean
  /** What the client is shown. */
  show(plan: P): object
  make(plan: P): Promise<object>
}

/** @param given The arguments of the call, with `confirm`. */
export async function planned<P>(
  { session, store }: ToolCall,
  given: { readonly confirm?: string },
  change: Destructive<P>,
): Promise<ToolAnswer> {
  const { confirm, ...what } = given
  const confirmed = confirm === undefined ? undefined : session.plans.take(confirm)
  const position = await store.position()
  const plan = await change.plan(confirmed?.moment)
  const digest = digestOf([session.workspace.bucket, what, change.stateOf(plan)])
  if (confirmed?.digest === digest) return { facts: { changed: true, ...(await change.make(plan)) } }
  const shown = { changed: false, position, plan: change.show(plan) }
  if (change.isEmpty(plan)) return { facts: { ...shown, note: 'There is nothing to change.' } }
  const id = session.plans.add({ digest, moment: change.momentOf?.(plan) })
  return { facts: { ...shown, confirm: id, note: confirm === undefined ? planNote : renewedNote } }
}

const planNote = 'Nothing was changed. To do what the plan shows, repeat the call with this confirm.'
const renewedNote =
  'Nothing was changed: the plan of this confirm was used, was for another call, or the state has changed. This is a new plan.'

/** How many entries of a plan are shown; all of them count. */
const shownMax = 50

export const some = <T>(entries: readonly T[]): { readonly count: number; readonly first: readonly T[] } => ({
  count: entries.length,
  first: entries.slice(0, shownMax),
})
