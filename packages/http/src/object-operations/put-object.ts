import { defaultChecksumAlgorithm } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { checksumHeaders } from '../objects/checksums.ts'
import { encryptionAnswer } from '../encryption/encryption-headers.ts'
import { expirationHeader } from '../objects/expiration-header.ts'
import { creationOptions } from './creation-options.ts'
import { receiptHeaders, receiptOption } from '../objects/receipt-header.ts'
import { quoteEtag } from '../headers/etags.ts'
import { metadataOptions } from '../objects/metadata-in.ts'
import { madeVersionHeaders } from '../objects/shown-version.ts'
import { checkEarly, writeConditions } from '../objects/write-conditions.ts'
import { explainWriteError } from '../objects/write-errors.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation, RequestBody } from '../contract/operation.ts'

/** The bytes are streamed to the store. A request that names no checksum gets S3's default. */
export const putObject: ObjectOperation = async (context) => {
  const { store, bucket, key, headers, body, client } = context
  const conditions = writeConditions(headers)
  const metadata = metadataOptions(headers)
  const creation = creationOptions(context)
  if (conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined) await checkEarly(context, conditions)

  const checksum = { algorithm: defaultChecksumAlgorithm } as const
  const watched = body.isLong ? { signal: client.signal } : {}
  const checks = body.checks()
  if (creation.retention !== undefined || creation.legalHold !== undefined) checkProven(checks)
  const receipt = receiptOption(headers)
  const options = { checksum, ...metadata, ...creation, ...checks, ...conditions, ...watched, ...receipt }
  const object = await store.objects.put(bucket, key, body.stream(), options).catch(explainWriteError)

  const shown = { etag: quoteEtag(object.etag) }
  Object.assign(shown, madeVersionHeaders(object), expirationHeader(object), encryptionAnswer(object, headers))
  if (object.receipt !== undefined) Object.assign(shown, receiptHeaders(object))
  return emptyAnswer(200, Object.assign(shown, checksumHeaders(object.checksum)))
}

/** A locked object can hardly be removed again, so its bytes need a checksum. @throws S3Error `InvalidRequest` */
function checkProven({ checksum, contentMD5 }: ReturnType<RequestBody['checks']>): void {
  if (checksum !== undefined || contentMD5 !== undefined) return
  throw new S3Error(
    'InvalidRequest',
    'Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters',
  )
}
