/** The sizes of keys and values in a keyspace, and the checks of those that callers pass. */
import type { RowChange } from '../ports/index.ts'
import { bytes } from '../schema/scalars.ts'
import { checked, type Schema } from '../schema/schema.ts'

/** Room for a bucket, an object key and a position. */
const keyBytesMax = 1280
const valueBytesMax = 8 * 1024 * 1024

export const keySchema: Schema<Uint8Array> = bytes({ max: keyBytesMax })
export const valueSchema: Schema<Uint8Array> = bytes({ max: valueBytesMax })

/** A copy. @throws StorageError `InvalidArgument` */
export const checkedKey = (key: unknown): Uint8Array => checked('key', keySchema, key)

/** A copy. @throws StorageError `InvalidArgument` */
export const checkedChange = (key: unknown, value: unknown): RowChange => ({
  key: checkedKey(key),
  value: value === null ? null : checked('value', valueSchema, value),
})
