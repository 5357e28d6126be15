/** Errors of the store for a read, with the headers that S3 sends with them. */

import { isStorageError } from '@varve/core'
import type { StorageError } from '@varve/core'
import { absence } from '../access/absence.ts'
import { S3Error } from '../errors/errors.ts'
import type { ObjectContext } from '../contract/operation.ts'
import { quoteEtag } from '../headers/etags.ts'
import { formatHttpDate } from '../headers/http-date.ts'
import { namedObject } from './named-object.ts'
import { cacheHeaders } from './object-headers.ts'

/** For `catch`: throws S3's error for the store's error, or the error itself. */
export const explainReadError =
  (context: ObjectContext): ((error: unknown) => Promise<never>) =>
  async (error) => {
    throw await readError(error, context)
  }

/** S3's error for the store's error, or the error itself. */
export async function readError(error: unknown, context: ObjectContext): Promise<unknown> {
  if (isStorageError(error, 'NoSuchKey', 'MethodNotAllowed')) return absence(error)
  if (isStorageError(error, 'NotModified')) return notModified(error, context)
  if (isStorageError(error, 'InvalidRange')) return invalidRange(error, context)
  if (isStorageError(error, 'InvalidPartNumber')) return invalidPartNumber(error, context)
  return error
}

/** The headers that a cache needs with 304. Reads the object again; if it changed, only known headers are sent. */
async function notModified(error: StorageError, context: ObjectContext): Promise<S3Error> {
  const etag = String(error.details['ETag'])
  const info = await namedObject(context).catch(() => undefined)
  const known = {
    etag: quoteEtag(etag),
    'last-modified': formatHttpDate(new Date(String(error.details['LastModified']))),
  }
  return new S3Error('NotModified', error.message, {
    headers: info?.etag === etag ? { ...known, ...cacheHeaders(info) } : known,
  })
}

function invalidRange({ message, details }: StorageError, { headers }: ObjectContext): S3Error {
  const size = String(details['ActualObjectSize'])
  return new S3Error('InvalidRange', message, {
    details: { ActualObjectSize: size, RangeRequested: headers.get('range') ?? '' },
    headers: { 'content-range': `bytes */${size}` },
  })
}

function invalidPartNumber({ message, details }: StorageError, { query }: ObjectContext): S3Error {
  return new S3Error('InvalidPartNumber', message, {
    details: {
      ActualPartCount: String(details['ActualPartCount']),
      PartNumberRequested: query.get('partNumber') ?? '',
    },
  })
}
