/** The keys that a session sees: those that begin with its prefix. Tools name them without the prefix. */
import { StorageError } from '@varve/core'

export interface Scope {
  /** Empty, or text that ends with a slash. */
  readonly prefix: string
  /** The key in the bucket. */
  keyOf(path: string): string
  /** The key as the session sees it. */
  pathOf(key: string): string
}

/** A prefix without a slash at its end would also show its siblings: `a` those of `ab/`. */
export function scopeOf(given: string): Scope {
  const prefix = given === '' || given.endsWith('/') ? given : `${given}/`
  return {
    prefix,
    keyOf: (path) => prefix + path,
    pathOf: (key) => key.slice(prefix.length),
  }
}

/** No part of a path: `.` and `..`, also as Windows reads them, which ignores dots and spaces at the end. */
const isStray = (part: string): boolean => /^[. ]*\.[. ]*$/.test(part)

const drive = /^[A-Za-z]:/

/**
 * Keys are no paths, so `..` in one leads nowhere. But programs that copy a bucket into a folder would take it for one, with slashes
 * or with the backslashes of Windows, and end it at a NUL.
 * @throws StorageError `InvalidArgument`
 */
export function assertWritable(path: string): string {
  const parts = path.split(/[/\\]/)
  if (parts[0] !== '' && !parts.some(isStray) && !path.includes('\0') && !drive.test(path)) return path
  throw new StorageError(
    'InvalidArgument',
    'A new key must not be empty, begin with a slash, a backslash or a drive, have a part that is "." or "..", or have a NUL.',
    { details: { ArgumentName: 'key' } },
  )
}
