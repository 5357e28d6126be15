/**
 * Loaded into a server before anything else of it (`--import`): how long its event loop stood still, and how much of that was the
 * garbage collector's. Asked by messages of the parent process.
 */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** Milliseconds. */
export interface GaugeReading {
  readonly p999: number
  readonly longest: number
  /** The longest pause of the garbage collector, and all of them together. */
  readonly collection: number
  readonly collections: number
  /** The most processor time that the main thread took between two looks at its timers: what it did, however busy the machine. */
  readonly work: number
  /** How long the main thread was ready to run and another process did, all in all. */
  readonly starved: number
}

const resolutionMs = 1
const delays = monitorEventLoopDelay({ resolution: resolutionMs })
delays.enable()

let [collection, collections] = [0, 0]
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collection = Math.max(collection, duration)
    collections += duration
  }
}).observe({ entryTypes: ['gc'] })

/** Processor time of the main thread and the time it waited for a processor, in nanoseconds. Of Linux; else nothing. */
function schedule(): readonly [ran: number, waited: number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1')
      .split(' ')
      .map(Number)
    return [ran, waited]
  } catch {
    return [0, 0]
  }
}

let [work, last, waitedBefore] = [0, ...schedule()]
const look = (): void => {
  const [ran] = schedule()
  work = Math.max(work, ran - last)
  last = ran
}
setInterval(look, 2).unref()

const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)

process.on('message', (message) => {
  if (message === 'gauge: reset') {
    delays.reset()
    ;[collection, collections] = [0, 0]
    ;[work, last, waitedBefore] = [0, ...schedule()]
  }
  if (message === 'gauge: read') {
    look()
    const reading: GaugeReading = {
      p999: inMs(delays.percentile(99.9)),
      longest: delays.max === 0 ? 0 : inMs(delays.max),
      collection,
      collections,
      work: work / 1e6,
      starved: (schedule()[1] - waitedBefore) / 1e6,
    }
    process.send?.({ gauge: reading })
  }
})
// Being asked is no reason to stay.
process.channel?.unref()
