import type { OpenStoreOptions } from '../../store/store-options.ts'
import type { Announcer } from './announcer.ts'

export interface ScrubRates {
  /** Bytes per second. Absent: nothing is scrubbed. */
  readonly scrub?: number
  /** Milliseconds. */
  readonly scrubEvery: number
}

export function scrubbing({ scrub, scrubEvery }: ScrubRates, announce: Announcer): Pick<OpenStoreOptions, 'scrub'> {
  if (scrub === undefined) return {}
  const rates = { bytesPerSecond: scrub, everyMs: Math.max(scrubEvery, 1000) }
  return { scrub: { ...rates, onDivergence: announce.damage, onPass: announce.scrubbed } }
}
