/**
 * Preloaded into the server (`--import`): measures the main thread and the memory of the server, and answers messages of the
 * parent process.
 */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { scheduleOf } from './schedule.ts'

/** Milliseconds. */
export interface GaugeReading {
  readonly p999: number
  readonly longest: number
  /** The longest pause of the garbage collector, and the sum of all pauses. */
  readonly collection: number
  readonly collections: number
  /** The most processor time of the main thread between two runs of its timers: independent of other processes. */
  readonly work: number
  /** The same without the pauses of the garbage collector in that interval. */
  readonly ownWork: number
  /** How long the main thread was ready to run while another thread had the processor. */
  readonly starved: number
  readonly memory: MemorySample
}

/** Bytes, at the moment when anonymous memory was largest. */
export interface MemorySample {
  readonly anonymous: number
  /** What V8 committed for JavaScript objects, and how much of it was in use. */
  readonly heap: number
  readonly heapUsed: number
  /** Buffers, and what else native code holds for JavaScript objects. */
  readonly external: number
  /** What V8 itself allocated: parsers, compilers, zones. */
  readonly malloced: number
}

const resolutionMs = 1
const lookEveryMs = 2
const sampleEveryMs = 8
const delays = monitorEventLoopDelay({ resolution: resolutionMs })
delays.enable()

const { pid } = process
const anonymous = (): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0) * 1024

function sample(): MemorySample {
  const {
    total_heap_size: heap,
    used_heap_size: heapUsed,
    malloced_memory: malloced,
    external_memory: external,
  } = getHeapStatistics()
  return { anonymous: anonymous(), heap, heapUsed, external, malloced }
}

let [collection, collections, collectedBefore] = [0, 0, 0]
let [work, ownWork, starvedBefore, sampledAt] = [0, 0, 0, 0]
let last = scheduleOf(pid)
let largest = sample()

/* Entries arrive a while after the pause: pauses are subtracted from the interval in which they are reported or the next. */
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collection = Math.max(collection, duration)
    collections += duration
  }
}).observe({ entryTypes: ['gc'] })

function look(): void {
  const now = scheduleOf(pid)
  const ran = now.ran - last.ran
  work = Math.max(work, ran)
  ownWork = Math.max(ownWork, ran - (collections - collectedBefore))
  collectedBefore = collections
  last = now
  if (performance.now() - sampledAt < sampleEveryMs) return
  sampledAt = performance.now()
  const taken = sample()
  if (taken.anonymous > largest.anonymous) largest = taken
}
setInterval(look, lookEveryMs).unref()

const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)

function reset(): void {
  delays.reset()
  ;[collection, collections, collectedBefore] = [0, 0, 0]
  last = scheduleOf(pid)
  ;[work, ownWork, starvedBefore] = [0, 0, last.waited]
  largest = sample()
}

/** What is garbage now is no part of the idle server. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  setFlagsFromString('--no-expose-gc')
}

process.on('message', (message) => {
  if (message === 'gauge: reset') reset()
  if (message === 'gauge: collect') {
    collectGarbage()
    process.send?.({})
  }
  if (message !== 'gauge: read') return
  look()
  const reading: GaugeReading = {
    p999: inMs(delays.percentile(99.9)),
    longest: delays.max === 0 ? 0 : inMs(delays.max),
    collection,
    collections,
    work,
    ownWork,
    starved: scheduleOf(pid).waited - starvedBefore,
    memory: largest,
  }
  process.send?.({ gauge: reading })
})
// The channel alone does not keep the server alive.
process.channel?.unref()
