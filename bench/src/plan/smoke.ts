/** A run of a few seconds that shows that the bench works: its figures mean nothing. */
import type { PlanOptions } from './plan.ts'
import { countsParts, type Workload } from '../workloads/workload.ts'

const bytesMax = 64 * 1024

/** Two layouts without common parts, unless others are named. */
export const smoke = {
  scale: 0.002,
  rounds: 1,
  layouts: ['level+files', 'segments+tiered'],
} as const satisfies Partial<PlanOptions>

/** Also fewer bytes, if the workload has many. */
export function smokeOf(workload: Workload): Workload {
  if (workload.kind === 'mix') {
    const sizes = workload.sizes.map(({ bytes, weight }) => ({ bytes: Math.min(bytes, bytesMax), weight }))
    return { ...workload, sizes }
  }
  return countsParts(workload) ? { ...workload, items: 2 } : workload
}
