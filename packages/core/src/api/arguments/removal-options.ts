/** Checks the arguments of removals. */
import { listener } from '../../schema/listener.ts'
import { boolean } from '../../schema/scalars.ts'
import { type FieldsOf, object, optional } from '../../schema/structures.ts'
import type { EmptyBucketOptions, RemovalOptions } from '../types/index.ts'
import { signal } from './common.ts'

const fields: FieldsOf<RemovalOptions> = {
  onProgress: optional(listener()),
  onOutcome: optional(listener()),
  ...signal,
}

export const removalOptions = object<RemovalOptions>(fields)
export const emptyBucketOptions = object<EmptyBucketOptions>({ ...fields, bypassGovernance: optional(boolean) })
