/**
 * Loaded into a server before anything else of it (`--import`): how long its event loop stood still, and how much of that was the
 * garbage collector's. Asked by messages of the parent process.
 */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/** Milliseconds. */
export interface GaugeReading {
  readonly p999: number
  readonly longest: number
  /** The longest pause of the garbage collector, and all of them together. */
  readonly collection: number
  readonly collections: number
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

const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)

process.on('message', (message) => {
  if (message === 'gauge: reset') {
    delays.reset()
    ;[collection, collections] = [0, 0]
  }
  if (message === 'gauge: read') {
    const reading: GaugeReading = {
      p999: inMs(delays.percentile(99.9)),
      longest: delays.max === 0 ? 0 : inMs(delays.max),
      collection,
      collections,
    }
    process.send?.({ gauge: reading })
  }
})
// Being asked is no reason to stay.
process.channel?.unref()
