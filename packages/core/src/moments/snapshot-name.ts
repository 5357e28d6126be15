/**
 * The form of snapshot names. They are parts of bucket names, so they have no two hyphens in a row and not the endings
 * that S3 reserves. The words of relative times are not names, so that a word always means the same.
 */
import { StorageError } from '../base/errors.ts'
import { weekdays } from './weekdays.ts'

const form = /^[a-z](?:-?[a-z0-9]){0,19}$/
const reservedEnding = /(?:^|-)s3alias$/
const reservedWords: ReadonlySet<string> = new Set(['now', 'today', 'yesterday', ...weekdays])

/** Whether a snapshot can have this name, such as `before-import`: 1 to 20 of a–z and 0–9, with single hyphens. */
export const isSnapshotName = (text: string): boolean =>
  form.test(text) && !reservedEnding.test(text) && !reservedWords.has(text)

/** For a moment that is no time: it can only be the name of a snapshot. */
export const noSuchMoment = (text: string): StorageError =>
  new StorageError(
    'NoSuchSnapshot',
    `${JSON.stringify(text)} is no moment of the past: it is no position, no time such as 2026-11-20T10:00:00Z, "2h ago" or "yesterday 18:00", and there is no snapshot of this name.`,
    { details: { Snapshot: text } },
  )

export const noSuchSnapshot = (name: string): StorageError =>
  new StorageError('NoSuchSnapshot', `There is no snapshot ${name}.`, { details: { Snapshot: name } })
