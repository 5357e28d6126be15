import { defaultChecksumAlgorithm, type PutResult } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { checksumHeaders } from '../objects/checksums.ts'
import { creationOptions } from './creation-options.ts'
import { encryptionAnswer } from '../encryption/encryption-headers.ts'
import { quoteEtag } from '../headers/etags.ts'
import { decodeHeader } from '../headers/header-text.ts'
import { metadataOptions } from '../objects/metadata-in.ts'
import { expirationHeader } from '../objects/expiration-header.ts'
import { madeVersionHeaders } from '../objects/shown-version.ts'
import { checkEarly, writeConditions } from '../objects/write-conditions.ts'
import { explainWriteError } from '../objects/write-errors.ts'
import { encodePath } from '../target/percent.ts'
import { element } from '../xml/write.ts'
import { emptyAnswer, xmlAnswer } from '../contract/answer.ts'
import { redirectAsConfigured } from '../contract/redirect.ts'
import type { Answer } from '../contract/answer.ts'
import type { ObjectContext, ObjectOperation } from '../contract/operation.ts'

/** A PUT whose parameters are the fields of a form, and whose answer is for the browser that sent the form. */
export const postObject: ObjectOperation = async (context) => {
  const { store, bucket, key, headers, body, client } = context
  if (headers.has('x-amz-copy-source')) {
    throw new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented', {
      details: { Header: 'x-amz-copy-source' },
    })
  }
  const conditions = writeConditions(headers)
  const metadata = metadataOptions(headers)
  const creation = creationOptions(context)
  await checkEarly(context, conditions)

  const checksum = { algorithm: defaultChecksumAlgorithm } as const
  const options = { ...metadata, ...creation, checksum, ...body.checks(), ...conditions, signal: client.signal }
  const object = await store.objects.put(bucket, key, body.stream(), options).catch(explainWriteError)
  return answerTo(context, object)
}

/** A redirect takes precedence over a status. An invalid redirect and a status unknown to S3 count as absent. */
function answerTo(context: ObjectContext, object: PutResult): Answer {
  const { headers: fields, bucket, key, origin } = context
  const etag = quoteEtag(object.etag)
  const headers = {
    etag,
    ...madeVersionHeaders(object),
    ...expirationHeader(object),
    ...encryptionAnswer(object, fields),
    ...checksumHeaders(object.checksum),
  }
  const redirect = redirectTo(context, etag)
  if (redirect !== undefined) return redirectAsConfigured(303, redirect, headers)

  const location = `${origin}/${bucket}/${encodePath(key)}`
  switch (fields.single('success_action_status')) {
    case '200':
      return emptyAnswer(200, { ...headers, location })
    case '201':
      return xmlAnswer(
        'PostResponse',
        '',
        [element('Location', location), element('Bucket', bucket), element('Key', key), element('ETag', etag)],
        { status: 201, headers: { ...headers, location } },
      )
    default:
      return emptyAnswer(204, { ...headers, location })
  }
}

function redirectTo({ headers: fields, bucket, key }: ObjectContext, etag: string): string | undefined {
  const name = 'success_action_redirect'
  const text = decodeHeader(name, fields.single(name) ?? '')
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const query = `bucket=${bucket}&key=${encodeURIComponent(key)}&etag=${encodeURIComponent(etag)}`
  url.search = url.search === '' ? `?${query}` : `${url.search}&${query}`
  return url.href
}
