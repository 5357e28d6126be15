/** Who is to do what, where. */
import type { Job } from './child/job.ts'
import { isFloorServerName } from './http/floor-server-names.ts'

export type ContenderTask = Omit<Job, 'role' | 'url'> & { readonly kind: 'layout' | 'floor' }

/** Floors that know no HTTP run in process even beside servers. */
export function isServed({ workload, kind, contender }: ContenderTask): boolean {
  if (workload.kind !== 'mix' || workload.through !== 'http') return false
  return kind === 'layout' || isFloorServerName(contender)
}
