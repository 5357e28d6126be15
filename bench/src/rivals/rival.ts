/** Another store, to be compared with layouts. Plain data: it is sent to other processes. */
import type { Credentials } from '../basics/credentials.ts'
import { isThroughHttp, type Workload } from '../workloads/workload.ts'

interface Common {
  readonly name: string
  readonly about: string
  /** Names of workloads, or beginnings that end in `*`, with the reason why the rival cannot run each. */
  readonly lacks: Readonly<Record<string, string>>
}

/** A program that serves S3 on a port of this machine. */
export interface RivalServer extends Common {
  readonly kind: 'server'
  /** With placeholders: see `placed`. */
  readonly command: readonly [program: string, ...args: string[]]
  readonly env: Readonly<Record<string, string>>
  /** Files that it needs in its directory: names and contents, both with placeholders. */
  readonly files: Readonly<Record<string, string>>
  readonly credentials: Credentials
}

/** A module whose `open(directory)` resolves to an `ObjectTarget`. */
export interface RivalModule extends Common {
  readonly kind: 'module'
  /** A `file:` URL. */
  readonly module: string
}

export type Rival = RivalServer | RivalModule

/** Whether a name matches a pattern: the name itself, or a beginning that ends in `*`. */
export const isMeantBy = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

export function takesPart(rival: Rival, workload: Workload): boolean {
  if (Object.keys(rival.lacks).some((pattern) => isMeantBy(workload.name, pattern))) return false
  if (rival.kind === 'server') return isThroughHttp(workload)
  return workload.kind === 'mix' && workload.through === 'process' && !workload.versioned
}
