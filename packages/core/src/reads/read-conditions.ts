/**
 * Conditions on reads, in HTTP's order: If-Match overrides If-Unmodified-Since, If-None-Match overrides
 * If-Modified-Since.
 */
import { preconditionFailed } from './conditions.ts'
import { StorageError } from '../base/errors.ts'
import type { ReadConditions } from '../api/types/index.ts'

/** The facts of an object that conditions use. */
export interface Validators {
  readonly etag: string
  readonly lastModified: Date
}

/** @throws StorageError `PreconditionFailed` or `NotModified`. */
export function checkReadConditions(object: Validators, conditions: ReadConditions): void {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, object.etag)) throw preconditionFailed('If-Match')
  } else if (ifUnmodifiedSince !== undefined && seconds(object.lastModified) > seconds(ifUnmodifiedSince)) {
    throw preconditionFailed('If-Unmodified-Since')
  }
  if (ifNoneMatch !== undefined) {
    if (matches(ifNoneMatch, object.etag)) throw notModified(object, 'If-None-Match')
  } else if (ifModifiedSince !== undefined && seconds(object.lastModified) <= seconds(ifModifiedSince)) {
    throw notModified(object, 'If-Modified-Since')
  }
}

const matches = (etags: readonly string[], etag: string): boolean => etags.some((one) => one === '*' || one === etag)

/** HTTP dates have a resolution of one second. */
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const notModified = ({ etag, lastModified }: Validators, condition: string): StorageError =>
  new StorageError('NotModified', 'Not Modified', {
    details: { Condition: condition, ETag: etag, LastModified: lastModified.toISOString() },
  })
