/** Checks the arguments of calls about projections. */
import { eventTypes } from '../../events/event-forms.ts'
import type { AnyProjection } from '../../projections/projection-reducer.ts'
import { boolean, callable, integer, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { object, optional } from '../../schema/structures.ts'
import type { ProjectionRangeOptions } from '../types/index.ts'
import { signal } from './common.ts'
import { keyspaceName } from './keyspace-options.ts'

type Handlers = AnyProjection['on']
type Handler = NonNullable<Handlers[keyof Handlers]>

/** A misspelt type of event would never be handled, so it is refused. */
const handlers = object<Handlers>(
  Object.fromEntries(eventTypes.map((type) => [type, optional(callable<Handler>())])) as never,
)

/** The schema of a projection. */
export const projectionSchema = object<AnyProjection>({
  name: keyspaceName,
  version: integer({ min: 0 }),
  init: callable<AnyProjection['init']>(),
  key: optional(callable<NonNullable<AnyProjection['key']>>()),
  on: handlers,
})

/** Longer than any key of a state. */
const keyMax = 1280

/** The schema of a key of a state. */
export const stateKey = text({ max: keyMax })

const rangeFields = object<ProjectionRangeOptions>({
  prefix: optional(stateKey),
  gte: optional(stateKey),
  lt: optional(stateKey),
  reverse: optional(boolean),
  limit: optional(integer({ min: 0 })),
  ...signal,
})

/** The schema of the options of `projection.range`. */
export const projectionRangeOptions: Schema<ProjectionRangeOptions> = {
  read(value) {
    const read = rangeFields.read(value)
    if (read.prefix === undefined || (read.gte === undefined && read.lt === undefined)) return read
    throw new Mismatch('does not go together with gte and lt', ['prefix'])
  },
  accepts: (value) => rangeFields.accepts(value),
}

/** The schema of a position to wait for. */
export const awaitedPosition = integer({ min: 0 })
