/** Checks the arguments of merges. */
import { boolean, callable, literal } from '../../schema/scalars.ts'
import { object, optional } from '../../schema/structures.ts'
import type { MergeRequest } from '../types/index.ts'
import { name, signal } from './common.ts'

export const mergeRequest = object<MergeRequest>({
  fork: name,
  prefix: optional(name),
  dryRun: optional(boolean),
  onConflict: optional(literal('fail', 'skip', 'force')),
  inParts: optional(boolean),
  onProgress: optional(callable()),
  ...signal,
})
