/** Checks filters of events, for every call that has one. */
import { eventTypes } from '../../events/event-forms.ts'
import type { EventType } from '../../events/index.ts'
import type { EventFilter } from '../../following/event-filter.ts'
import { literal, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { array, type FieldsOf, object, optional } from '../../schema/structures.ts'
import { name } from './common.ts'

const anyTypes = array(literal<EventType>(...eventTypes), { max: 1000 })

const types: Schema<readonly EventType[]> = {
  read(value) {
    const read = anyTypes.read(value)
    if (read.length === 0) throw new Mismatch('must not be empty')
    return read
  },
  accepts: (value) => anyTypes.accepts(value),
}

/** The fields of a filter. Wrap a schema that has them in `withFilter`. */
export const eventFilterFields: FieldsOf<EventFilter> = {
  bucket: optional(name),
  prefix: optional(name),
  by: optional(text()),
  types: optional(types),
  requestId: optional(text()),
}

/** Also refuses a prefix without a bucket. */
export const withFilter = <T extends EventFilter>(fields: Schema<T>): Schema<T> => ({
  read(value) {
    const read = fields.read(value)
    if (read.prefix === undefined || read.bucket !== undefined) return read
    throw new Mismatch('needs a bucket', ['prefix'])
  },
  accepts: (value) => fields.accepts(value),
})

/** The schema of a filter by itself. */
export const filterSchema = withFilter(object<EventFilter>(eventFilterFields))
