/** Makes a mix of operations with common defaults, and defines the usual "mixed" blend. */
import type { Mix, MixWorkload } from './workload.ts'

export const KiB = 1024
export const MiB = 1024 * KiB

export const blend: Mix = { get: 70, put: 20, list: 5, delete: 5 }

const defaults = {
  kind: 'mix',
  through: 'process',
  unit: 'operations',
  keys: 0,
  puts: 'new',
  choose: 'uniform',
  versioned: false,
} as const

type MixRow = Pick<MixWorkload, 'name' | 'title' | 'mix' | 'inFlight' | 'operations' | 'floors'> &
  Partial<MixWorkload> & { readonly bytes: number }

export const mixOf = ({ bytes, ...row }: MixRow): MixWorkload => ({
  ...defaults,
  sizes: [{ bytes, weight: 1 }],
  ...row,
})
