/** Checks the arguments of restores. */
import { boolean, literal, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { array, object, optional } from '../../schema/structures.ts'
import type { RestoreRequest } from '../types/index.ts'
import { moment, name, signal } from './common.ts'
import { partedFields } from './parted-fields.ts'

const fields = object<RestoreRequest>({
  bucket: name,
  prefix: optional(name),
  keys: optional(array(text())),
  to: moment,
  settings: optional(boolean),
  deletedBucket: optional(boolean),
  dryRun: optional(boolean),
  onConflict: optional(literal('fail', 'skip')),
  strict: optional(boolean),
  ...partedFields,
  ...signal,
})

export const restoreRequest: Schema<RestoreRequest> = {
  read(value) {
    const request = fields.read(value)
    if (request.keys === undefined || request.prefix === undefined) return request
    throw new Mismatch('has keys and a prefix')
  },
  accepts: (value) => fields.accepts(value),
}
