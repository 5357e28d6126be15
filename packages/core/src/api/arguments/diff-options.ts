/** Checks the arguments of comparisons of two states. */
import { integer, text } from '../../schema/scalars.ts'
import { object, optional } from '../../schema/structures.ts'
import type { DiffOptions, DiffScope } from '../types/index.ts'
import { name, signal } from './common.ts'

export const diffScope = object<DiffScope>({ bucket: name, prefix: optional(name) })

export const diffOptions = object<DiffOptions>({
  limit: optional(integer({ min: 1, max: 1000 })),
  after: optional(text()),
  ...signal,
})
