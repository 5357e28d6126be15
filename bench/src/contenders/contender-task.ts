/** Which contender runs which workload in which directory. */
import type { Job } from '../child/job.ts'
import { isFloorServerName } from '../http/floor-server-names.ts'
import { isThroughHttp } from '../workloads/workload.ts'
import type { ContenderKind } from '../plan/plan.ts'

export type ContenderTask = Omit<Job, 'role' | 'url'> & { readonly kind: ContenderKind }

/** Floors without HTTP run in process, even when they are compared with servers. */
export function isServed({ workload, kind, contender }: ContenderTask): boolean {
  return isThroughHttp(workload) && (kind !== 'floor' || isFloorServerName(contender))
}
