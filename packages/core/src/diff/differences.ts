/**
 * All objects that differ between two states of a bucket, in the order of their keys. It begins to walk the keys of both
 * states; after many more keys than there are events between them, it reads these: what costs less.
 */
import { compareKeys } from '../bytes/compare-keys.ts'
import type { LogPorts } from '../events/log.ts'
import { type KeyedObject, type KeyWalk, type Milestone, stepsMax } from '../reads/read-snapshot.ts'
import { changedKeys } from './changed-keys.ts'
import { compareKey, type Found, type ObjectDifference, objectOf, type TwoStates } from './two-states.ts'

export interface DifferencesScope {
  readonly bucket: string
  readonly prefix: string
  /** In place of a prefix. */
  readonly keys?: readonly string[] | undefined
  /** Only keys after this one. */
  readonly after?: string | undefined
  readonly signal: AbortSignal | undefined
}

/** A difference, and the key that was compared before it, if any. */
export interface FoundDifference extends ObjectDifference {
  readonly previous: string | undefined
}

/** Below it, the walk costs less than it takes to choose. */
const keysMin = 1000
/** A key that an event names is looked up in both states, which costs more than walking over several keys. */
const keysPerEvent = 2
/** Rows that show nothing cost less than keys that are compared. */
const keysPerMilestone = stepsMax / 16

/** Holds its walks open until it ends: a walk that begins again may have to step over the same keys again. */
export async function* differences(
  log: LogPorts,
  states: TwoStates,
  scope: DifferencesScope,
): AsyncGenerator<FoundDifference> {
  const [from, to] = states.map(({ at }) => at).sort((a, b) => a - b) as [number, number]
  if (from === to) return
  if (scope.keys !== undefined) {
    yield* ofKeys(states, scope, [...new Set(scope.keys)].sort(compareKeys))
    return
  }
  const passed: Passed = { last: scope.after, isEnd: false }
  yield* byWalk(states, scope, keysMax(states, to - from), passed)
  for (let hasMore = !passed.isEnd, after = passed.last; hasMore; ) {
    const changed = await changedKeys(log, { ...scope, after, from, to })
    yield* ofKeys(states, scope, changed.keys)
    hasMore = changed.hasMore
    after = changed.keys.at(-1)
  }
}

/** The events do not name what a fork shows from its creation on: only a walk of all keys finds that. */
function keysMax([before, after]: TwoStates, events: number): number {
  const isSame = before.row?.incarnation === after.row?.incarnation
  const hasFork = before.row?.base !== undefined || after.row?.base !== undefined
  return hasFork && !isSame ? Number.POSITIVE_INFINITY : Math.max(keysMin, events * keysPerEvent)
}

/** How far a walk has come. */
interface Passed {
  last: string | undefined
  isEnd: boolean
}

async function* byWalk(
  states: TwoStates,
  { bucket, prefix, after, signal }: DifferencesScope,
  keys: number,
  passed: Passed,
): AsyncGenerator<FoundDifference> {
  const start = after === undefined ? undefined : ({ key: after, place: 'after' } as const)
  const walks = states.map(({ snapshot }) => snapshot.objectsInSteps(bucket, prefix, start)) as [Steps, Steps]
  try {
    const pairs = new KeyPairs(walks)
    for (let left = keys; left > 0; ) {
      signal?.throwIfAborted()
      const pair = await pairs.next()
      passed.isEnd = pair === undefined
      if (pair === undefined) return
      left -= pair.rows === undefined ? keysPerMilestone : 1
      if (pair.rows === undefined) continue
      const { key, rows } = pair
      const difference = await compareKey(states, { bucket, key, rows })
      if (difference !== undefined) yield { ...difference, previous: passed.last }
      passed.last = key
    }
  } finally {
    for (const walk of walks) await walk.close()
  }
}

async function* ofKeys(
  states: TwoStates,
  { bucket, signal }: Pick<DifferencesScope, 'bucket' | 'signal'>,
  keys: readonly string[],
): AsyncGenerator<FoundDifference> {
  let previous: string | undefined
  for (const key of keys) {
    signal?.throwIfAborted()
    const rows = await Promise.all(states.map(async ({ snapshot }) => objectOf(await snapshot.newest(bucket, key))))
    const difference = await compareKey(states, { bucket, key, rows: rows as [Found, Found] })
    if (difference !== undefined) yield { ...difference, previous }
    previous = key
  }
}

type Step = KeyedObject | Milestone
type Steps = KeyWalk<Step>

/** A key with what each of the walks has of it; without rows, a place that one of them has come to. */
interface KeyPair {
  readonly key: string
  readonly rows?: readonly [Found, Found]
}

/** Two walks in step: each key once. Neither goes on without the other, so reading a key takes no long walk. */
class KeyPairs {
  readonly #walks: readonly [Steps, Steps]
  readonly #held: [Step | undefined | null, Step | undefined | null] = [null, null]

  constructor(walks: readonly [Steps, Steps]) {
    this.#walks = walks
  }

  async next(): Promise<KeyPair | undefined> {
    const both = [await this.#peek(0), await this.#peek(1)] as const
    const [key] = both.flatMap((found) => (found === undefined ? [] : [found.key])).sort(compareKeys)
    if (key === undefined) return undefined
    const at = both.findIndex((found) => found?.key === key && found.row === undefined)
    if (at < 0) return { key, rows: [this.#take(0, key), this.#take(1, key)] }
    this.#held[at] = null
    return { key }
  }

  #take(i: 0 | 1, key: string): Found {
    const held = this.#held[i]
    if (held?.key !== key) return undefined
    this.#held[i] = null
    return held.row
  }

  async #peek(i: 0 | 1): Promise<Step | undefined> {
    const held = this.#held[i]
    return held === null ? (this.#held[i] = await this.#walks[i].next()) : held
  }
}
