/** Checks the arguments of calls about keyspaces. */
import { keySchema, valueSchema } from '../../keyspaces/limits.ts'
import { isProgramName } from '../../keyspaces/keyspace-keys.ts'
import type { Reducer } from '../../keyspaces/reducer.ts'
import type { RowChange } from '../../ports/index.ts'
import { boolean, callable, integer } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { array, object, optional } from '../../schema/structures.ts'
import type { KeyspaceCommit, KeyspaceOptions, KeyspaceRangeOptions } from '../types/index.ts'
import { signal } from './common.ts'

/** The name of a keyspace, a subscription or a projection. */
export const keyspaceName: Schema<string> = {
  read(value) {
    if (typeof value !== 'string') throw Mismatch.wrongType('a string', value)
    if (isProgramName(value)) return value
    throw new Mismatch('must have 1 to 64 letters, digits, dots, hyphens or underscores of ASCII')
  },
  accepts: (value) => typeof value === 'string',
}

/** The schema of the options of `keyspaces.open`. */
export const keyspaceOptions = object<KeyspaceOptions>({
  version: integer({ min: 0 }),
  reducer: optional(callable<Reducer>()),
})

const valueOrNull: Schema<Uint8Array | null> = {
  read: (value) => (value === null ? null : valueSchema.read(value)),
  accepts: () => false,
}

/** The schema of one commit to a keyspace. */
export const keyspaceCommit = object<KeyspaceCommit>({
  to: integer({ min: 0 }),
  changes: array(object<RowChange>({ key: keySchema, value: valueOrNull })),
})

export const keyspaceKeys = array(keySchema)

/** The schema of the options of `keyspace.range`. */
export const keyspaceRangeOptions = object<KeyspaceRangeOptions>({
  gte: optional(keySchema),
  lt: optional(keySchema),
  reverse: optional(boolean),
  limit: optional(integer({ min: 0 })),
  ...signal,
})
