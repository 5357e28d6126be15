import { completeUpload } from './complete-upload.ts'
import { getLarge } from './get-large.ts'
import { list } from './list.ts'
import { putSmall } from './put-small.ts'
import type { Workload } from './workload.ts'

export const workloads: readonly Workload[] = [putSmall, getLarge, list, completeUpload]
