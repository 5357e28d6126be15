/** What a store can be told, checked before anything is opened. */
import type { OpenLogOptions, StoreOptions } from '@varve/core'

export interface MemoryStoreOptions extends StoreOptions {
  /** How often bytes whose retention is over are looked for, in milliseconds; 0 for never. @default 60000 */
  readonly sweepEveryMs?: number
}

export interface OpenStoreOptions extends MemoryStoreOptions, OpenLogOptions {
  /** Make a store where there is none: in an empty directory, or in none. @default true */
  readonly create?: boolean
  /** Look, in the background, for bytes that a crash left without a name. @default true */
  readonly sweepOrphans?: boolean
}

const timerMaxMs = 2 ** 31 - 1
const defaultSweepEveryMs = 60_000

/** The options of core, and our own with their defaults. @throws TypeError for values that make no sense. */
export function checkedOptions(options: MemoryStoreOptions): { core: StoreOptions; sweepEveryMs: number } {
  const { actor, region, inlineMax, groupMax, retentionMs, sweepEveryMs = defaultSweepEveryMs } = options
  checkNumber('inlineMax', inlineMax, 0, 16 * 1024 * 1024)
  checkNumber('groupMax', groupMax, 1, 100_000)
  checkNumber('retentionMs', retentionMs, 0, Number.MAX_SAFE_INTEGER)
  checkNumber('sweepEveryMs', sweepEveryMs, 0, timerMaxMs)
  checkText('region', region)
  checkText('actor.id', actor?.id)
  checkText('actor.name', actor?.name)
  const core = {
    ...(actor !== undefined && { actor: { id: actor.id, name: actor.name } }),
    ...(region !== undefined && { region }),
    ...(inlineMax !== undefined && { inlineMax }),
    ...(groupMax !== undefined && { groupMax }),
    ...(retentionMs !== undefined && { retentionMs }),
  }
  return { core, sweepEveryMs }
}

function checkNumber(name: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return
  throw new TypeError(`${name} is a whole number from ${min} to ${max}, not ${String(value)}.`)
}

function checkText(name: string, value: string | undefined): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return
  throw new TypeError(`${name} is text, and not empty.`)
}
