/** How the values of an answer are written: as lines of JSON, or as server-sent events. */
import type { ControlError } from './control-error.ts'
import type { EventStream } from './control-row.ts'

export const eventStreamType = 'text/event-stream'

export interface LineForm {
  value(value: unknown): string
  error(error: ControlError): string
}

export const lineForm: LineForm = {
  value: (value) => `${JSON.stringify(value)}\n`,
  error: (error) => `${JSON.stringify({ error })}\n`,
}

/** JSON has no line break, so each event has one line of data. */
export const eventForm = ({ idOf, typeOf }: EventStream<object, unknown>): LineForm => ({
  value: (value) => `id: ${idOf(value)}\nevent: ${typeOf(value)}\ndata: ${JSON.stringify(value)}\n\n`,
  error: (error) => `event: error\ndata: ${JSON.stringify(error)}\n\n`,
})

/** Whether an `Accept` header names event streams, whatever its other media types are. */
export const acceptsEvents = (accept = ''): boolean =>
  accept.split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === eventStreamType)
