/** All objects that differ between two states of a bucket, in the order of their keys. */
import { compareKeys } from '../bytes/compare-keys.ts'
import type { LogPorts } from '../events/log.ts'
import { diffKeys, diffObjects } from './diff-objects.ts'
import type { ObjectDifference, TwoStates } from './two-states.ts'

export interface DifferencesScope {
  readonly bucket: string
  readonly prefix: string
  /** In place of a prefix. */
  readonly keys: readonly string[] | undefined
  readonly signal: AbortSignal | undefined
}

const pageKeys = 1000

export async function* differences(
  log: LogPorts,
  states: TwoStates,
  { bucket, prefix, keys, signal }: DifferencesScope,
): AsyncGenerator<ObjectDifference> {
  if (keys !== undefined) {
    const chosen = [...new Set(keys)].sort(compareKeys)
    const { found } = await diffKeys(states, { bucket, limit: chosen.length, signal }, { keys: chosen, hasMore: false })
    yield* found
    return
  }
  let after: string | undefined
  do {
    const page = await diffObjects(log, states, { bucket, prefix, after, limit: pageKeys, signal })
    yield* page.found
    after = page.nextAfter
  } while (after !== undefined)
}
