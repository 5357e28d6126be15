/** The form of a workload in a file. A field of a workload that has no entry here does not compile. */
import { schema } from '@varve/core'
import {
  type Mix,
  type MixWorkload,
  type SizeShare,
  specialNames,
  type SpecialWorkload,
  units,
  wireNames,
  type WireWorkload,
  type Workload,
} from './workload.ts'

const { array, boolean, integer, literal, number, object, optional, tagged, text } = schema

const count = integer({ min: 0 })

const common = {
  name: text({ min: 1, max: 64 }),
  title: text({ max: 256 }),
  unit: literal(...units),
  inFlight: count,
  operations: count,
  seconds: optional(number),
  floors: array(text({ max: 64 }), { max: 16 }),
} as const

const mix = object<Mix>({
  get: optional(number),
  put: optional(number),
  head: optional(number),
  list: optional(number),
  delete: optional(number),
})

export const workloadSchema = tagged<Workload, 'kind'>('kind', {
  mix: object<MixWorkload>({
    ...common,
    kind: literal('mix'),
    through: literal('process', 'http'),
    mix,
    sizes: array(object<SizeShare>({ bytes: count, weight: number })),
    keys: count,
    puts: literal('new', 'any'),
    choose: literal('uniform', 'hot'),
    versioned: boolean,
  }),
  special: object<SpecialWorkload>({
    ...common,
    kind: literal('special'),
    special: literal(...specialNames),
    items: count,
    lasting: optional(boolean),
  }),
  wire: object<WireWorkload>({
    ...common,
    kind: literal('wire'),
    wire: literal(...wireNames),
    items: count,
    bytes: count,
  }),
})
