/** What work costs a node and its database. */
import { readFileSync, writeFileSync } from 'node:fs'
import { databaseMs, processorMs, type Server } from './node-stores.ts'

export interface WorkCost {
  readonly wallMs: number
  /** Processor time of the node. */
  readonly nodeMs: number
  readonly databaseMs: number
  /** The most resident memory of the node during the work, in MiB. */
  readonly peakMiB: number
}

/** The most since the node started, or since `forgetPeak`. Linux only. */
export function peakOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

export const forgetPeak = ({ child }: Server): void => writeFileSync(`/proc/${child.pid}/clear_refs`, '5')

/** `postmaster`: the process of the database, if the server has one. */
export async function costOf(
  server: Server,
  postmaster: number | undefined,
  work: () => Promise<unknown>,
): Promise<WorkCost> {
  const database = (): number => (postmaster === undefined ? 0 : databaseMs(postmaster))
  const [nodeBefore, databaseBefore] = [await processorMs(server), database()]
  forgetPeak(server)
  const begun = performance.now()
  await work()
  const wallMs = performance.now() - begun
  return {
    wallMs,
    nodeMs: (await processorMs(server)) - nodeBefore,
    databaseMs: database() - databaseBefore,
    peakMiB: peakOf(server),
  }
}

/** One line; of each of `count` pieces of work in microseconds, if there are several. */
export function printCost(
  what: string,
  { wallMs, nodeMs, databaseMs: ofDatabase, peakMiB }: WorkCost,
  count = 1,
): void {
  const each = (ms: number): string => (count === 1 ? `${ms.toFixed(0)} ms` : `${((ms / count) * 1000).toFixed(1)} us`)
  console.log(
    `${what}: node ${each(nodeMs)}  database ${each(ofDatabase)}  wall ${each(wallMs)}  peak ${peakMiB.toFixed(0)} MiB`,
  )
}
