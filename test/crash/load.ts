/**
 * The load that gets killed. Every worker owns its keys, so per key there is one order; it says what it is about to
 * do, does it, and says when it was acknowledged. What was said last before the end may or may not have happened;
 * everything acknowledged must have.
 */
export const workers = 8
const keysPerWorker = 4
export const buckets = { plain: 'crash-plain', versioned: 'crash-versioned' } as const

export type Action = 'put' | 'delete' | 'version' | 'upload'

export interface Said {
  readonly what: 'will' | 'did'
  readonly action: Action
  readonly key: string
  readonly number: number
  /** For `version`: the id that was answered. */
  readonly versionId?: string
}

/** A third of the bodies is too large to ride in the journal. */
export function bodyOf(number: number): string {
  const line = `body ${number};`
  return line.repeat(number % 3 === 0 ? Math.ceil(100_000 / line.length) : 5)
}

export const keyOf = (worker: number, number: number): string => `w${worker}/k${number % keysPerWorker}`
