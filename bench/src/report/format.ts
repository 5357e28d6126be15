/** Formats numbers for people: three significant digits, and the unit. */
import type { Spread } from '../basics/statistics.ts'
import type { Unit } from '../workloads/workload.ts'

export function short(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-GB')
  if (size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return value.toFixed(size >= 0.1 || size === 0 ? 2 : 3)
}

const scaleOf = (unit: Unit): number => (unit === 'bytes' ? 1e6 : 1)
const suffixes: Record<Unit, string> = { operations: '/s', bytes: ' MB/s', entries: ' entries/s', events: ' events/s' }

const rateText = (unit: Unit, rate: number): string => `${short(rate / scaleOf(unit))}${suffixes[unit]}`

/** For narrow tables, which show the unit elsewhere. */
export function compactRate(unit: Unit, rate: number): string {
  const value = rate / scaleOf(unit)
  return value >= 10_000 ? `${short(value / 1000)}k` : short(value)
}

export const unitText = (unit: Unit): string => suffixes[unit].trim()

export const rateSpread = (unit: Unit, { median, min, max }: Spread): string =>
  `${rateText(unit, median)} [${short(min / scaleOf(unit))}–${short(max / scaleOf(unit))}]`

export const spreadText = ({ median, min, max }: Spread, mark = ''): string =>
  `${short(median)}${mark} [${short(min)}–${short(max)}]`

export const microsText = (micros: number): string =>
  micros >= 1000 ? `${short(micros / 1000)} ms` : `${short(micros)} µs`

export const mebibytes = (bytes: number): string => `${short(bytes / 2 ** 20)} MiB`

export const bytesText = (bytes: number): string =>
  bytes >= 2 ** 30 ? `${short(bytes / 2 ** 30)} GiB` : `${short(bytes / 2 ** 20)} MiB`
