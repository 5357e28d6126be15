/** Checks the arguments of merges. */
import { boolean, literal } from '../../schema/scalars.ts'
import { object, optional } from '../../schema/structures.ts'
import type { MergeRequest } from '../types/index.ts'
import { name, signal } from './common.ts'
import { partedFields } from './parted-fields.ts'

export const mergeRequest = object<MergeRequest>({
  fork: name,
  prefix: optional(name),
  dryRun: optional(boolean),
  onConflict: optional(literal('fail', 'skip', 'force')),
  ...partedFields,
  ...signal,
})
