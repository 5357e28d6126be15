/** Reads what the page shows from metrics in the text form of OpenMetrics. */

export interface RequestCounts {
  /** All requests so far. */
  readonly requests: number
  readonly errors: number
  /** Requests by the upper bound of their duration in seconds, cumulative, ascending. The last bound is infinite. */
  readonly durations: readonly (readonly [bound: number, count: number])[]
}

const sample = /^(\w+)(?:\{(.*?)\})? (\S+)/

/** Reading the metrics is a request too: it is left out. */
const ownOperation = 'GetMetrics'

export function requestCounts(text: string): RequestCounts {
  let [requests, errors] = [0, 0]
  const durations = new Map<number, number>()
  for (const { name, labels, value } of samplesOf(text)) {
    if (name === 'varve_requests_total') {
      requests += value
      if (label(labels, 'status').startsWith('5')) errors += value
    }
    if (name === 'varve_request_duration_seconds_bucket') {
      const bound = boundOf(label(labels, 'le'))
      durations.set(bound, (durations.get(bound) ?? 0) + value)
    }
  }
  return { requests, errors, durations: [...durations].sort(([a], [b]) => a - b) }
}

function* samplesOf(text: string) {
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', number = ''] = sample.exec(line) ?? []
    const value = Number(number)
    if (name !== '' && !Number.isNaN(value) && label(labels, 'operation') !== ownOperation)
      yield { name, labels, value }
  }
}

const label = (labels: string, name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? ''

const boundOf = (text: string): number => (text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text))

/**
 * The duration that a part of the requests between two readings did not exceed, in seconds. Within a bucket they count as spread
 * evenly. `undefined` without requests.
 */
export function quantile(before: RequestCounts, after: RequestCounts, part: number): number | undefined {
  const earlier = new Map(before.durations)
  const counts = after.durations.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)] as const)
  const total = counts.at(-1)?.[1] ?? 0
  if (total <= 0) return undefined
  const wanted = total * part
  let [low, below] = [0, 0]
  for (const [bound, count] of counts) {
    if (count >= wanted) {
      if (!Number.isFinite(bound)) return low
      return count === below ? bound : low + ((bound - low) * (wanted - below)) / (count - below)
    }
    ;[low, below] = [bound, count]
  }
  return low
}
