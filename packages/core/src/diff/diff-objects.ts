/**
 * The objects that differ between two states, a page at a time. A page walks the keys of both states, or it reads the
 * events between them: what costs less. It begins with the keys. After as many keys as there are events, it reads these.
 */
import { compareKeys } from '../bytes/compare-keys.ts'
import type { LogPorts } from '../events/log.ts'
import type { KeyedObject, KeyWalk } from '../reads/read-snapshot.ts'
import { changedKeys } from './changed-keys.ts'
import { compareKey, type Found, type ObjectDifference, objectOf, type TwoStates } from './two-states.ts'

export interface ObjectDiffOptions {
  readonly bucket: string
  readonly prefix: string
  readonly after: string | undefined
  readonly limit: number
  readonly signal: AbortSignal | undefined
}

export interface DiffedObjects {
  readonly found: readonly ObjectDifference[]
  /** The next page begins after this key. Absent if there is none. */
  readonly nextAfter?: string
}

/** Below it, the walk costs less than it takes to choose. */
const keysMin = 1000

export async function diffObjects(
  log: LogPorts,
  states: TwoStates,
  options: ObjectDiffOptions,
): Promise<DiffedObjects> {
  const [a, b] = states.map(({ at }) => at) as [number, number]
  const [from, to] = [Math.min(a, b), Math.max(a, b)]
  if (from === to) return { found: [] }
  const walked = await diffByWalk(states, options, keysMax(states, to - from))
  if (walked !== undefined) return walked
  const { keys, hasMore } = await changedKeys(log, { ...options, from, to })
  return diffKeys(states, options, { keys, hasMore })
}

/** The events do not name what a fork shows from its creation on: only a walk of all keys finds that. */
function keysMax([before, after]: TwoStates, events: number): number {
  const isSame = before.row?.incarnation === after.row?.incarnation
  const hasFork = before.row?.base !== undefined || after.row?.base !== undefined
  return hasFork && !isSame ? Number.POSITIVE_INFINITY : Math.max(keysMin, events)
}

/** `undefined` if the page is not complete after `keysMax` keys. */
async function diffByWalk(
  states: TwoStates,
  { bucket, prefix, after, limit, signal }: ObjectDiffOptions,
  keysMax: number,
): Promise<DiffedObjects | undefined> {
  const start = after === undefined ? undefined : ({ key: after, place: 'after' } as const)
  const walks = states.map(({ snapshot }) => snapshot.objects(bucket, prefix, start)) as [Objects, Objects]
  const found: ObjectDifference[] = []
  try {
    const pairs = new KeyPairs(walks)
    for (let keys = 0; keys < keysMax; keys++) {
      signal?.throwIfAborted()
      const pair = await pairs.next()
      if (pair === undefined) return { found }
      const difference = await compareKey(states, { bucket, ...pair })
      if (difference === undefined) continue
      if (found.length === limit) return { found, ...nextAfter(found) }
      found.push(difference)
    }
    return undefined
  } finally {
    for (const walk of walks) await walk.close()
  }
}

type Objects = KeyWalk<KeyedObject>

/** Two walks in step: each key once, with what each of the walks has of it. */
class KeyPairs {
  readonly #walks: readonly [Objects, Objects]
  readonly #held: [KeyedObject | undefined | null, KeyedObject | undefined | null] = [null, null]

  constructor(walks: readonly [Objects, Objects]) {
    this.#walks = walks
  }

  async next(): Promise<{ readonly key: string; readonly rows: readonly [Found, Found] } | undefined> {
    const both = [await this.#peek(0), await this.#peek(1)] as const
    const [key] = both.flatMap((found) => (found === undefined ? [] : [found.key])).sort(compareKeys)
    return key === undefined ? undefined : { key, rows: [this.#take(0, key), this.#take(1, key)] }
  }

  #take(i: 0 | 1, key: string): Found {
    const held = this.#held[i]
    if (held?.key !== key) return undefined
    this.#held[i] = null
    return held.row
  }

  async #peek(i: 0 | 1): Promise<KeyedObject | undefined> {
    const held = this.#held[i]
    return held === null ? (this.#held[i] = await this.#walks[i].next()) : held
  }
}

/** Compares the given keys, in order. */
export async function diffKeys(
  states: TwoStates,
  { bucket, limit, signal }: Pick<ObjectDiffOptions, 'bucket' | 'limit' | 'signal'>,
  { keys, hasMore }: { readonly keys: readonly string[]; readonly hasMore: boolean },
): Promise<DiffedObjects> {
  const found: ObjectDifference[] = []
  for (const key of keys) {
    signal?.throwIfAborted()
    const rows = await Promise.all(states.map(({ snapshot }) => snapshot.newest(bucket, key).then(objectOf)))
    const difference = await compareKey(states, { bucket, key, rows: rows as [Found, Found] })
    if (difference === undefined) continue
    if (found.length === limit) return { found, ...nextAfter(found) }
    found.push(difference)
  }
  return { found, ...(hasMore && { nextAfter: keys.at(-1) as string }) }
}

const nextAfter = (found: readonly ObjectDifference[]) => ({ nextAfter: found.at(-1)?.key as string })
