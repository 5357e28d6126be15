import { isStorageError } from '@varve/core'
import type { CompletedPart, CompleteOptions } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { checksumElements, checksumType } from '../objects/checksums.ts'
import { asCustomerKey, writtenKey } from '../encryption/customer-key.ts'
import { checkRepeatedEncryption, encryptionAnswer, uploadEncryption } from '../encryption/encryption-headers.ts'
import { expirationHeader } from '../objects/expiration-header.ts'
import { receiptHeaders, receiptOption } from '../objects/receipt-header.ts'
import { quoteEtag } from '../headers/etags.ts'
import { madeVersionHeaders } from '../objects/shown-version.ts'
import { uploadOf } from './upload-params.ts'
import { writeConditions } from '../objects/write-conditions.ts'
import { encodePath } from '../target/percent.ts'
import { takeCompleteMultipartUpload } from './completed-parts.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { Answer } from '../contract/answer.ts'
import type { ObjectContext, ObjectOperation } from '../contract/operation.ts'

const bodyBytesMax = 4 * 1024 * 1024

/** All errors that the request itself can contain are thrown before the answer may begin early. */
export const completeMultipartUpload: ObjectOperation = async (context) => {
  refuseForm(context)
  const completeOptions = optionsOf(context)
  await checkRepeatedEncryption(context, uploadOf(context))
  const parts = await listedParts(context)
  // An answer that begins early has no headers of the end.
  if (completeOptions.receipt === true) return complete(context, parts, completeOptions)
  return {
    slow: complete(context, parts, completeOptions),
    early: () => uploadEncryption(context, uploadOf(context)),
  }
}

async function complete(
  context: ObjectContext,
  parts: readonly CompletedPart[],
  completeOptions: CompleteOptions,
): Promise<Answer> {
  const { store, bucket, key, headers, options, origin } = context
  const upload = uploadOf(context)

  const object = await store.uploads.complete(upload, parts, completeOptions).catch((error: unknown) => {
    throw withUploadId(error, upload.uploadId)
  })

  const children = [
    element('Location', `${origin}/${bucket}/${encodePath(key)}`),
    element('Bucket', bucket),
    element('Key', key),
    element('ETag', quoteEtag(object.etag)),
    ...checksumElements(object.checksum),
  ]
  return xmlAnswer('CompleteMultipartUploadResult', options.namespace, children, {
    headers: {
      ...madeVersionHeaders(object),
      ...expirationHeader(object),
      ...encryptionAnswer(object, headers),
      ...receiptHeaders(object),
    },
  })
}

function refuseForm({ dialect, headers }: ObjectContext): void {
  if (dialect.formUrlencodedCompletion === 'accepted') return
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return
  throw new S3Error('InvalidRequest', 'The content type application/x-www-form-urlencoded must not be used.')
}

function optionsOf({ headers, body, dialect, client: { signal } }: ObjectContext): CompleteOptions {
  const declared = body.checks().checksum
  const type = checksumType(headers)
  const size = objectSize(headers.single('x-amz-mp-object-size'))
  return {
    ...(typeof declared?.expected === 'string' && {
      checksum: { algorithm: declared.algorithm, value: declared.expected },
    }),
    ...(type !== undefined && { checksumType: type }),
    ...(size !== undefined && { size }),
    ...asCustomerKey(writtenKey(headers)),
    ...writeConditions(headers),
    ...receiptOption(headers),
    everyPartChecksum: true,
    repeatable: dialect.completionRepeat === 'same-answer',
    signal,
  }
}

function objectSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new S3Error('InvalidRequest', 'Value for x-amz-mp-object-size header is invalid.')
}

async function listedParts({ body, dialect, client }: ObjectContext): Promise<readonly CompletedPart[]> {
  const bytes = await body.small(bodyBytesMax)
  if (bytes.length === 0) throw new S3Error('InvalidRequest', 'You must specify at least one part')
  const parts = await takeCompleteMultipartUpload(bytes, client.address)
  const listed = parts.map(({ partNumber, etag, checksums }) => {
    const [checksum, another] = checksums
    if (another !== undefined) {
      throw new S3Error('InvalidRequest', `Expecting a single checksum for part ${partNumber}.`)
    }
    return { partNumber, etag, ...(checksum !== undefined && { checksum }) }
  })
  if (dialect.repeatedPartNumber === 'out-of-order') return listed
  return listed.filter((part, i) => !isResent(part, listed[i + 1]))
}

/** Whether the next entry is another content for the same number. The same entry twice is out of order. */
const isResent = ({ partNumber, etag }: CompletedPart, next: CompletedPart | undefined): boolean =>
  next?.partNumber === partNumber && next.etag !== etag

function withUploadId(error: unknown, uploadId: string): unknown {
  if (!isStorageError(error, 'InvalidPart', 'InvalidPartOrder')) return error
  const { PartNumber, ETag } = error.details
  const part = { ...(PartNumber !== undefined && { PartNumber: String(PartNumber), ETag: String(ETag) }) }
  return new S3Error(error.code, error.message, { details: { UploadId: uploadId, ...part }, cause: error })
}
