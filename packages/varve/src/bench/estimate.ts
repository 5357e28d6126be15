/** What a plan will write, before it does: so that nobody is surprised, and no disk is filled. */
import { contendersFor, type Plan } from './plan.ts'
import type { MixWorkload, SpecialWorkload, Workload } from './workloads/workload.ts'

export interface Estimate {
  /** Bytes of objects in all; stores write more than that. */
  readonly written: number
  /** Bytes at one time, with room for what stores need beside their objects. */
  readonly atOnce: number
}

/** A store may hold bytes twice while it compacts. */
const overhead = 2
const rowBytes = 1000

export function estimateOf(plan: Plan): Estimate {
  const each = plan.workloads.map((workload) => {
    const disks = contendersFor(plan, workload).filter(({ name }) => name !== 'memory' && name !== 'node-http').length
    return disks * bytesOf(workload, plan.rounds + 1)
  })
  return { written: each.reduce((sum, bytes) => sum + bytes, 0), atOnce: overhead * Math.max(0, ...each) }
}

const bytesOf = (workload: Workload, rounds: number): number =>
  workload.kind === 'mix' ? bytesOfMix(workload, rounds) : bytesOfSpecial(workload, rounds)

function bytesOfMix({ mix, sizes, keys, operations }: MixWorkload, rounds: number): number {
  const weight = sizes.reduce((sum, size) => sum + size.weight, 0)
  const mean = sizes.reduce((sum, size) => sum + (size.bytes * size.weight) / weight, 0)
  const total = Object.values(mix).reduce((sum, share) => sum + share, 0)
  const putShare = ((mix.put ?? 0) + (mix.delete ?? 0)) / total
  return (keys + rounds * operations * putShare) * (mean + rowBytes)
}

function bytesOfSpecial({ special, items, operations }: SpecialWorkload, rounds: number): number {
  switch (special) {
    case 'complete-upload':
      return rounds * operations * items * 5 * 1024 * 1024
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
