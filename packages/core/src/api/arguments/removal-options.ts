/** Checks the arguments of removals. */
import { boolean, callable } from '../../schema/scalars.ts'
import { type FieldsOf, object, optional } from '../../schema/structures.ts'
import type { EmptyBucketOptions, RemovalOptions } from '../types/index.ts'
import { signal } from './common.ts'

const fields: FieldsOf<RemovalOptions> = {
  onProgress: optional(callable()),
  onOutcome: optional(callable()),
  ...signal,
}

export const removalOptions = object<RemovalOptions>(fields)
export const emptyBucketOptions = object<EmptyBucketOptions>({ ...fields, bypassGovernance: optional(boolean) })
