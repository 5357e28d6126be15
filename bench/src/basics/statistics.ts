/** Statistics over many measurements. */

/** A median, and how far the rounds are apart. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** @throws RangeError for an empty list */
function medianOf(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('Nothing has no median.')
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), min: Math.min(...values), max: Math.max(...values) }
}

/** The spread of the values that were measured; `undefined` if none was. */
export function spreadOfSome(values: readonly (number | undefined)[]): Spread | undefined {
  const measured = values.filter((value) => value !== undefined)
  return measured.length === 0 ? undefined : spreadOf(measured)
}

/**
 * The ratios of each round, since both ran on the machine in the same state. Ratios can be compared between machines,
 * absolute figures cannot.
 */
export function ratioOf(values: readonly number[], floors: readonly number[]): Spread | undefined {
  const rounds = values.flatMap((value, i) => {
    const floor = floors[i]
    return floor === undefined || floor === 0 ? [] : [value / floor]
  })
  return rounds.length === 0 ? undefined : spreadOf(rounds)
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** By nearest rank. Sorts in place. */
export function percentilesOf(values: Float64Array): Percentiles {
  values.sort()
  const at = (share: number) => values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

/**
 * The interval between two of the values that contains the median of all possible rounds in 95 of 100 measurements: the
 * interval of the sign test, which assumes no distribution of the values. Fewer than six values cannot reach this
 * confidence; then the interval spans all of them.
 */
export function medianInterval(values: readonly number[]): Pick<Spread, 'min' | 'max'> {
  const sorted = [...values].sort((a, b) => a - b)
  const { length } = sorted
  let term = 0.5 ** length
  let outside = 0
  let left = 0
  while (outside + term <= 0.025) {
    outside += term
    left++
    term *= (length - left + 1) / left
  }
  const first = Math.max(0, left - 1)
  return { min: sorted[first] as number, max: sorted[length - 1 - first] as number }
}

/** Whether two spreads share any value. If they do, the rounds do not show a difference between the two. */
export const overlap = (a: Spread, b: Spread): boolean => a.min <= b.max && b.min <= a.max
