/** What a store can be told, checked before anything is opened. */
import { checkStoreOptions, checkWholeNumber, type OpenLogOptions, type StoreOptions } from '@varve/core'

export interface MemoryStoreOptions extends StoreOptions {
  /** How often bytes whose retention is over are looked for, in milliseconds; 0 for never. @default 60000 */
  readonly sweepEveryMs?: number
}

export interface OpenStoreOptions extends MemoryStoreOptions, OpenLogOptions {
  /** Make a store where there is none: in an empty directory, or in none. @default true */
  readonly create?: boolean
  /** Look, in the background, for bytes that a crash left without a name. @default true */
  readonly sweepOrphans?: boolean
  /**
   * How the files of the log are held against what was noted when the store was closed: `bytes` reads all of them (about
   * a second per gigabyte), `sizes` looks at names and sizes, `none` opens what is there. @default 'bytes'
   */
  readonly check?: FileCheck
}

export type FileCheck = 'bytes' | 'sizes' | 'none'

const timerMaxMs = 2 ** 31 - 1
const defaultSweepEveryMs = 60_000

/** The options of core and our own, with their defaults. @throws TypeError for values that make no sense. */
export function checkedOptions(options: MemoryStoreOptions): { core: StoreOptions; sweepEveryMs: number } {
  const { sweepEveryMs = defaultSweepEveryMs } = options
  checkWholeNumber('sweepEveryMs', sweepEveryMs, { min: 0, max: timerMaxMs })
  return { core: checkStoreOptions(options), sweepEveryMs }
}
