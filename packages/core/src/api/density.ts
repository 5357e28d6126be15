/**
 * Counts the events of the log over time without reading the log. Positions have no gaps and times never run backwards, so
 * the number of events between two times follows from two positions, each found by bisection. Events that match a filter
 * are counted where a slice has few events, and estimated from a sample where it has many.
 */
import type { Engine } from '../engine/engine.ts'
import { readEvent, readLog } from '../events/log.ts'
import { eventFilter, plainFilter } from '../following/event-filter.ts'
import { readMoment } from '../moments/moment.ts'
import { positionOrStart } from '../moments/position-or-start.ts'
import type { Moment } from '../moments/moment.ts'
import type { Seq } from '../ports/index.ts'
import type { DensityOptions, DensitySlice } from './types/index.ts'

/** @param given Checked options. @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot`, `LogCorrupt` */
export async function logDensity(engine: Engine, given: DensityOptions): Promise<readonly DensitySlice[]> {
  const { since, until, steps = 100, readsMax = 4000, signal } = given
  engine.assertOpen()
  await engine.fresh()
  const log = new LogTimes(engine, signal)
  const end = engine.writer.committed
  const after = since === undefined ? 0 : await positionOrStart(engine, since)
  const last = until === undefined ? end : await positionOrStart(engine, until)
  const times = await boundaries(log, { since, until, after, last, steps })
  const positions = await log.positionsAt(times, { low: Math.min(after, last), high: last })
  const spans = times.slice(1).map((time, i) => ({
    from: new Date(times[i] as number),
    until: new Date(time),
    before: positions[i] as Seq,
    last: positions[i + 1] as Seq,
  }))
  const filter = plainFilter(given)
  const counts =
    Object.keys(filter).length === 0
      ? spans.map((span) => ({ matching: span.last - span.before, isExact: true }))
      : await log.matchingIn(spans, eventFilter(filter), readsMax)
  return spans.map(({ before, ...span }, i) => ({
    ...span,
    events: span.last - before,
    ...(counts[i] as Pick<DensitySlice, 'matching' | 'isExact'>),
  }))
}

interface Bounds extends Pick<DensityOptions, 'since' | 'until'> {
  readonly after: Seq
  readonly last: Seq
  readonly steps: number
}

/** The times between the slices, in whole milliseconds. Fewer than two: there is no time to divide. */
async function boundaries(log: LogTimes, { since, until, after, last, steps }: Bounds): Promise<readonly number[]> {
  const hasEvents = after < last
  const begin = timeIn(since) ?? (hasEvents ? (await log.timeOf(after + 1)) - 1 : undefined)
  const end = timeIn(until) ?? (hasEvents ? await log.timeOf(last) : undefined)
  if (begin === undefined || end === undefined || begin >= end) return []
  const count = Math.min(steps, end - begin)
  return Array.from({ length: count + 1 }, (_, i) => begin + Math.round(((end - begin) * i) / count))
}

/** The time of a moment that names a time. */
function timeIn(given: Moment | undefined): number | undefined {
  const moment = typeof given === 'string' ? readMoment(given) : given
  return moment instanceof Date ? moment.getTime() : undefined
}

interface Range {
  readonly low: Seq
  readonly high: Seq
}

interface Span {
  /** The position before the first event. */
  readonly before: Seq
  readonly last: Seq
}

/** How far apart samples are, in parts of a slice: no short period of the log falls in step with it. */
const golden = 0.618_033_988_749_895

class LogTimes {
  readonly #engine: Engine
  readonly #signal: AbortSignal | undefined

  constructor(engine: Engine, signal: AbortSignal | undefined) {
    this.#engine = engine
    this.#signal = signal
  }

  async timeOf(seq: Seq): Promise<number> {
    this.#signal?.throwIfAborted()
    return (await readEvent(this.#engine.pacedLog, seq)).event.at
  }

  /** The last position in the range at or before each of the ascending times; `low` if there is none. */
  async positionsAt(times: readonly number[], { low, high }: Range): Promise<readonly Seq[]> {
    if (times.length === 0) return []
    if (low >= high) return times.map(() => low)
    const middle = Math.ceil((low + high) / 2)
    const at = await this.timeOf(middle)
    const split = times.findIndex((time) => time >= at)
    const count = split === -1 ? times.length : split
    return [
      ...(await this.positionsAt(times.slice(0, count), { low, high: middle - 1 })),
      ...(await this.positionsAt(times.slice(count), { low: middle, high })),
    ]
  }

  /** Slices with few events are read whole; what they leave of the reads goes to the others. */
  async matchingIn(
    spans: readonly Span[],
    matches: ReturnType<typeof eventFilter>,
    readsMax: number,
  ): Promise<readonly Pick<DensitySlice, 'matching' | 'isExact'>[]> {
    const counts = spans.map(() => ({ matching: 0, isExact: true }))
    const bySize = spans
      .map((span, i) => ({ ...span, i, events: span.last - span.before }))
      .filter(({ events }) => events > 0)
      .sort((a, b) => a.events - b.events)
    let left = readsMax
    for (const [done, { i, events, ...span }] of bySize.entries()) {
      const reads = Math.min(events, Math.max(1, Math.floor(left / (bySize.length - done))))
      left -= reads
      const isExact = reads === events
      const found = isExact ? await this.#countAll(span, matches) : await this.#countSample(span, matches, reads)
      counts[i] = { matching: isExact ? found : Math.min(events, Math.ceil((found * events) / reads)), isExact }
    }
    return counts
  }

  async #countAll({ before, last }: Span, matches: ReturnType<typeof eventFilter>): Promise<number> {
    let found = 0
    for await (const { event } of readLog(this.#engine.pacedLog, { from: before + 1, to: last })) {
      this.#signal?.throwIfAborted()
      if (matches(event)) found++
    }
    return found
  }

  async #countSample({ before, last }: Span, matches: ReturnType<typeof eventFilter>, reads: number): Promise<number> {
    let found = 0
    for (let i = 0; i < reads; i++) {
      const place = (0.5 + i * golden) % 1
      this.#signal?.throwIfAborted()
      const { event } = await readEvent(this.#engine.pacedLog, before + 1 + Math.floor(place * (last - before)))
      if (matches(event)) found++
    }
    return found
  }
}
