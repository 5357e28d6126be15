/** What a plan will write. It is estimated before the run, so that the amount is no surprise and no disk is filled. */
import { contendersFor, type Plan } from './plan.ts'
import type { MixWorkload, SpecialWorkload, WireWorkload, Workload } from '../workloads/workload.ts'

export interface Estimate {
  /** Bytes of objects in all rounds; stores write more than that. */
  readonly written: number
  /** Most bytes at one time, including what stores need beside their objects. */
  readonly atOnce: number
}

interface Bytes {
  readonly written: number
  readonly atOnce: number
}

const rowBytes = 1000
/** Small objects may be on the disk twice while a store compacts; large ones are not moved. */
const twiceBelow = 1024 * 1024
const [overheadOfSmall, overheadOfLarge] = [2, 1.1]
/** More than a store can put in a second, for rounds that end by time. */
const bytesPerSecond = 100e6

export function estimateOf(plan: Plan): Estimate {
  const each = plan.workloads.map((workload) => {
    const disks = contendersFor(plan, workload).filter(({ name }) => name !== 'memory' && name !== 'node-http').length
    const { written, atOnce } = bytesOf(workload, plan.rounds + 1)
    return { written: disks * written, atOnce: disks * atOnce }
  })
  return {
    written: each.reduce((sum, { written }) => sum + written, 0),
    atOnce: Math.max(0, ...each.map(({ atOnce }) => atOnce)),
  }
}

function bytesOf(workload: Workload, rounds: number): Bytes {
  if (workload.kind === 'mix') return bytesOfMix(workload, rounds)
  const written = workload.kind === 'wire' ? bytesOfWire(workload, rounds) : bytesOfSpecial(workload, rounds)
  return { written, atOnce: overheadOfSmall * written }
}

function bytesOfMix({ mix, sizes, keys, operations, seconds, puts, versioned }: MixWorkload, rounds: number): Bytes {
  const weight = sizes.reduce((sum, size) => sum + size.weight, 0)
  const mean = sizes.reduce((sum, size) => sum + (size.bytes * size.weight) / weight, 0)
  const total = Object.values(mix).reduce((sum, share) => sum + share, 0)
  // Objects that one round deletes are put again before the next.
  const putShare = ((mix.put ?? 0) + (mix.delete ?? 0)) / total
  const timed = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * bytesPerSecond
  const there = keys * (mean + rowBytes)
  const inRound = Math.min(operations * putShare * (mean + rowBytes), timed)
  // Replaced bytes are freed: only those of about one round still exist.
  const kept = puts === 'any' && !versioned ? Math.min(rounds, 2) : rounds
  const overhead = mean < twiceBelow ? overheadOfSmall : overheadOfLarge
  return { written: there + rounds * inRound, atOnce: overhead * (there + kept * inRound) }
}

function bytesOfSpecial({ special, items, operations }: SpecialWorkload, rounds: number): number {
  switch (special) {
    case 'complete-upload':
      return rounds * operations * items * 5 * 1024 * 1024
    case 'complete-upload-10000':
      return rounds * operations * items * (1024 + rowBytes)
    case 'delete-sweep':
      return rounds * items * 40 * 1024
    case 'list-delimiter':
    case 'list-versions':
    case 'replay':
    case 'reopen':
      return items * rowBytes
    case 'rebuild':
      return (1 + rounds) * items * rowBytes
  }
}

function bytesOfWire({ wire, items, bytes, operations }: WireWorkload, rounds: number): number {
  switch (wire) {
    case 'http-list-versions':
      return items * (bytes + rowBytes)
    case 'http-multipart':
    case 'http-complete-upload':
      return rounds * operations * items * bytes
  }
}
