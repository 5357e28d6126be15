/** Moments name states of the store. The API, S3 bucket names, headers and the CLI use the same forms. */
import { StorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import { isSnapshotName } from './snapshot-name.ts'
import { parseCompactTime, parseRfc3339 } from './time-text.ts'

/**
 * A state of the store: a position in the log, a time, or text. Text is a position (`12345`), a time in RFC 3339
 * (`2026-11-20T10:00:00Z`), a compact time in UTC (`20261120t100000z`, `20261120t100000123z`), or the name of a
 * snapshot. A time stands for the last event that was recorded at this time or before.
 */
export type Moment = Seq | Date | string

const position = /^\d{1,15}$/

/**
 * Reads the text of a moment. Text in the result is the name of a snapshot.
 * @throws StorageError `InvalidArgument`
 */
export function parseMoment(text: string): Moment {
  const moment = readMoment(text)
  if (moment !== undefined) return moment
  throw malformedMoment('A moment is a position in the log, a time such as 2026-11-20T10:00:00Z, or a snapshot.')
}

/** The moment that a text names; `undefined` for other text. */
export function readMoment(text: string): Moment | undefined {
  if (position.test(text)) return Number(text)
  const time = parseRfc3339(text) ?? parseCompactTime(text)
  if (time !== undefined) return new Date(time)
  return isSnapshotName(text) ? text : undefined
}

/** The error for text that is no moment. */
export const malformedMoment = (message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'moment' } })
