/** The workloads that come with Varve. docs/bench.md describes their purpose. */
import { inProcess } from './in-process.ts'
import { overHttp } from './over-http.ts'
import { overWire } from './over-wire.ts'
import { storeOnly } from './store-only.ts'
import type { Workload } from './workload.ts'

export const builtInWorkloads: readonly Workload[] = [...inProcess, ...storeOnly, ...overHttp, ...overWire]
