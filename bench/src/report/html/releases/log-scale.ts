/** A logarithmic scale: the same distance is the same ratio, however large the figures are. */

export interface LogScale {
  /** From 0 at the least to 1 at the most. Values outside are at the edges. */
  share(value: number): number
  readonly ticks: readonly number[]
}

/** A chart shows at least this ratio, so that chance does not look like a change. */
const ratioMin = 3
const steps: readonly (readonly number[])[] = [
  [1],
  [1, 3],
  [1, 2, 5],
  [1, 1.5, 2, 3, 5, 7],
  [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9],
]
const ticksMin = 3

/** Values that are not above 0 have no place on it, and do not count. */
export function logScale(values: readonly number[]): LogScale {
  const positive = values.filter((value) => value > 0)
  const [least, most] = positive.length === 0 ? [1, 1] : [Math.min(...positive), Math.max(...positive)]
  const widen = Math.max(1.15, Math.sqrt(ratioMin / (most / least)))
  const [from, to] = [Math.log10(least / widen), Math.log10(most * widen)]
  const ticksOf = (step: readonly number[]): number[] => {
    const decades = Array.from({ length: Math.ceil(to) - Math.floor(from) }, (_, i) => Math.floor(from) + i)
    const all = decades.flatMap((decade) => step.map((factor) => factor * 10 ** decade))
    return all.filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to)
  }
  const ticks = steps.map(ticksOf).find((found) => found.length >= ticksMin) ?? []
  return {
    share: (value) => (value > 0 ? Math.min(1, Math.max(0, (Math.log10(value) - from) / (to - from))) : 0),
    ticks,
  }
}
