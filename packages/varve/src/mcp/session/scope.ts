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

/**
 * Keys are no paths, so `..` in one leads nowhere. But programs that copy a bucket into a folder would take it for one.
 * @throws StorageError `InvalidArgument`
 */
export function assertWritable(path: string): string {
  const isStray = path === '' || path.startsWith('/') || path.split('/').some((part) => part === '.' || part === '..')
  if (!isStray) return path
  throw new StorageError(
    'InvalidArgument',
    'A new key must not be empty, begin with a slash, or have a part that is "." or "..".',
    { details: { ArgumentName: 'key' } },
  )
}
