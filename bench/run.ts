/** Runs workloads in interleaved rounds, so that both contenders meet the same machine; ratios travel, absolutes do not. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { medianOf } from './lib/measure.ts'
import type { Workload } from './workloads/workload.ts'

export interface Result {
  readonly name: string
  readonly against: string
  /** Operations a second, medians over the rounds. */
  readonly varve: number
  readonly floor: number
  /** varve / floor, median of the rounds' ratios. */
  readonly ratio: number
}

export interface RunOptions {
  readonly rounds: number
  /** Shrinks every round; 1 is full size. */
  readonly scale: number
}

export async function run(workload: Workload, { rounds, scale }: RunOptions): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-bench-'))
  const operations = Math.max(1, Math.round(workload.operations * scale))
  try {
    const contenders = await workload.prepare(directory, operations)
    const rates: { varve: number; floor: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const varve = await rate(operations, () => contenders.varve(round))
      rates.push({ varve, floor: await rate(operations, () => contenders.floor(round)) })
    }
    await contenders.close()
    const { name, against } = workload
    return {
      name,
      against,
      varve: medianOf(rates.map((one) => one.varve)),
      floor: medianOf(rates.map((one) => one.floor)),
      ratio: medianOf(rates.map((one) => one.varve / one.floor)),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function rate(operations: number, work: () => Promise<void>): Promise<number> {
  const before = performance.now()
  await work()
  return operations / ((performance.now() - before) / 1000)
}
