/** Runs one round of one exercise and measures everything. */
import { startMeter, type Used } from '../meter/meter.ts'
import { thisProcess } from '../meter/this-process.ts'
import { percentilesOf } from '../basics/statistics.ts'
import { type Exercise, inFlight } from './exercise.ts'

export interface RoundSize {
  readonly operations: number
  readonly inFlight: number
  readonly seconds?: number
}

/** The figures of the process that sends the work; times in milliseconds. */
export interface RoundFigures {
  readonly operations: number
  /** Units a second. */
  readonly rate: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** Bytes of the objects that were put. */
  readonly put: number
  readonly used: Used
}

export async function measureRound(exercise: Exercise, size: RoundSize, round: number): Promise<RoundFigures> {
  await exercise.before?.(round)
  const latencies = new Float64Array(size.operations)
  let [operations, units, put, counted] = [0, 0, 0, 0]
  const meter = startMeter(thisProcess)
  const deadline = performance.now() + (size.seconds ?? Number.POSITIVE_INFINITY) * 1000
  await inFlight(
    size.inFlight,
    size.operations,
    async (index) => {
      const began = performance.now()
      const done = await exercise.operate(round, index)
      const ms = done.countedMs ?? performance.now() - began
      if (done.countedMs !== undefined) counted += done.countedMs
      latencies[operations++] = ms
      units += done.units
      put += done.put ?? 0
    },
    // Runs at least one operation, however short the time is.
    () => operations === 0 || performance.now() < deadline,
  ).catch((error: unknown) => {
    meter.abandon()
    throw error
  })
  const used = meter.stop()
  const ms = counted > 0 ? counted / size.inFlight : used.wallMs
  return { operations, rate: units / (ms / 1000), ...percentilesOf(latencies.subarray(0, operations)), put, used }
}
