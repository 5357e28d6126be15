/** Conditions on writes. S3 accepts one ETag in `If-Match`, `*` in `If-None-Match`, and never both. */

import { isStorageError } from '@varve/core'
import type { WriteConditions } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { ObjectContext } from '../contract/operation.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { unquoteEtag } from '../headers/etags.ts'

export const writeConditionHeaders = ['if-match', 'if-none-match'] as const
export const deleteConditionHeaders = ['if-match'] as const

/** @throws S3Error `NotImplemented` for forms that S3 does not accept on writes. */
export function writeConditions(headers: RequestHeaders): WriteConditions {
  const ifMatch = headers.single('if-match')
  const ifNoneMatch = headers.single('if-none-match')
  if (ifMatch !== undefined && ifNoneMatch !== undefined) {
    throw notImplemented('If-Match,If-None-Match', 'Multiple conditional request headers present in the request')
  }
  if (ifMatch?.trim() === '*') throw unaccepted('If-Match')
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') throw unaccepted('If-None-Match')
  return {
    ...(ifMatch !== undefined && { ifMatch: unquoteEtag(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: '*' as const }),
  }
}

/**
 * The condition on a delete, where `*` requires any object.
 * @throws S3Error `NotImplemented` for a condition on the removal of a version
 */
export function deleteCondition(headers: RequestHeaders, versionId?: string): { readonly ifMatch?: string } {
  const ifMatch = headers.single('if-match')
  if (ifMatch === undefined) return {}
  if (versionId === undefined) return { ifMatch: unquoteEtag(ifMatch) }
  throw notImplemented('If-Match', 'If-Match is not supported for a request with a versionId')
}

/**
 * Refuses a write that cannot succeed before its bytes are sent. This only saves time: the store decides when it
 * commits.
 * @throws S3Error `PreconditionFailed`, `NoSuchKey`; StorageError `NoSuchBucket`.
 */
export async function checkEarly(context: ObjectContext, { ifMatch, ifNoneMatch }: WriteConditions): Promise<void> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return
  const {
    store,
    bucket,
    key,
    client: { signal },
  } = context
  const current = await store.objects.head(bucket, key, { signal }).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchKey')) return undefined
    throw error
  })
  if (current === undefined && ifMatch !== undefined) {
    throw new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: key } })
  }
  if (current !== undefined && current.etag !== ifMatch) {
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      details: { Condition: ifMatch === undefined ? 'If-None-Match' : 'If-Match' },
    })
  }
}

function unaccepted(header: string): S3Error {
  return notImplemented(header, `We don't accept the provided value of ${header} header for this API`)
}

function notImplemented(header: string, additionalMessage: string): S3Error {
  return new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented', {
    details: { Header: header, additionalMessage },
  })
}
