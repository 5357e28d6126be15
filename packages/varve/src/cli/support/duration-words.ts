import { unitMs } from './parse-values.ts'

const units = [
  ['day', unitMs.d],
  ['hour', unitMs.h],
  ['minute', unitMs.min],
  ['second', unitMs.s],
  ['millisecond', unitMs.ms],
] as const

/** A time for people, exactly: `30 days`, `1 hour`, `90 seconds`, `1 day and 6 hours`. */
export function durationWords(ms: number): string {
  let rest = ms
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return parts.length === 0 ? 'no time' : parts.join(' and ')
}
