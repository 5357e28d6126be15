/** A page of the objects that differ between two states. */
import type { LogPorts } from '../events/log.ts'
import { differences, type DifferencesScope } from './differences.ts'
import type { ObjectDifference, TwoStates } from './two-states.ts'

export interface DiffedObjects {
  readonly found: readonly ObjectDifference[]
  /** The next page begins after this key. Absent if there is none. */
  readonly nextAfter?: string
}

export async function diffObjects(
  log: LogPorts,
  states: TwoStates,
  { limit, ...scope }: DifferencesScope & { readonly limit: number },
): Promise<DiffedObjects> {
  const found: ObjectDifference[] = []
  for await (const difference of differences(log, states, scope)) {
    const last = found.at(-1)
    // What was compared since the last difference need not be compared again.
    if (found.length === limit && last !== undefined) return { found, nextAfter: difference.previous ?? last.key }
    found.push(difference)
  }
  return { found }
}
