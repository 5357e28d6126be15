/** Converts the fields of a form to the headers that a PUT with the same options would have. */

import { screenedHeadersOfHttp } from '../contract/screening.ts'
import { S3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { FormFields } from './form-signature.ts'
import { taggingHeader } from './form-tagging.ts'

/**
 * The headers that the operation reads its parameters from. Fields that S3 does not know are left out: the policy had
 * to name them, but they have no effect. Conditions and ranges may also be in the headers of the request.
 * @throws S3Error `AccessDenied` when the request has `x-amz-…` or `x-varve-…` headers: in a form those are fields,
 * covered by its policy. `NotImplemented` for fields `x-varve-…`.
 */
export function formHeaders(fields: FormFields, sent: RequestHeaders): RequestHeaders {
  const vendor = sent.names.filter((name) => vendorName.test(name) || ownName.test(name))
  if (vendor.length > 0) {
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      details: { HeadersNotSigned: vendor.join(', ') },
    })
  }
  const raw: string[] = []
  for (const name of screenedHeadersOfHttp) for (const value of sent.values(name)) raw.push(name, value)
  for (const [field, value] of fields) {
    const name = renamed[field] ?? field
    if (ownName.test(name)) throw unbuilt(name)
    if (field === 'tagging') raw.push('x-amz-tagging', taggingHeader(value))
    else if (known.has(name) || vendorName.test(name)) raw.push(name, headerValue(name, value))
  }
  return createRequestHeaders(raw)
}

const renamed: Readonly<Record<string, string>> = { acl: 'x-amz-acl', redirect: 'success_action_redirect' }
const vendorName = /^x-(?:amz|svc)-/
const ownName = /^x-varve-/

const unbuilt = (name: string): S3Error =>
  new S3Error('NotImplemented', 'A field you provided implies functionality that is not implemented', {
    details: { Header: name },
  })

const known: ReadonlySet<string> = new Set([
  // The operation refuses those that it does not have.
  ...screenedHeadersOfHttp,
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-md5',
  'content-type',
  'expires',
  'success_action_redirect',
  'success_action_status',
])

/** Metadata may be any text, and text in a form is not encoded, even if it looks so. Encoding it preserves it. */
function headerValue(name: string, value: string): string {
  const bytes = Buffer.from(value, 'utf8')
  const isEncoded = metadataName.test(name) && (value.includes('=?') || !printable.test(value))
  return isEncoded ? `=?UTF-8?B?${bytes.toString('base64')}?=` : bytes.toString('latin1')
}

const printable = /^[\t\u0020-\u007e]*$/
const metadataName = /^x-(?:amz|svc)-meta-/
