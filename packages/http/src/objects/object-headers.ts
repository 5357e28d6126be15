/** The headers of answers with an object. */

import type { ContentHeaders, ObjectInfo } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { isLowerCaseName } from '../target/lower-case-name.ts'
import { keptEncryption } from '../encryption/encryption-headers.ts'
import { expirationHeader } from './expiration-header.ts'
import { quoteEtag } from '../headers/etags.ts'
import { encodeWords } from '../headers/encoded-words.ts'
import { encodeHeader } from '../headers/header-text.ts'
import { formatHttpDate } from '../headers/http-date.ts'

const contentHeaders = [
  ['contentEncoding', 'content-encoding'],
  ['contentLanguage', 'content-language'],
  ['contentDisposition', 'content-disposition'],
  ['cacheControl', 'cache-control'],
  ['expires', 'expires'],
  ['websiteRedirectLocation', 'x-amz-website-redirect-location'],
] as const satisfies readonly (readonly [keyof ContentHeaders, string])[]

/** All headers except length, range and checksums, which depend on the request. */
export function objectHeaders(info: ObjectInfo): AnswerHeaders {
  return {
    'accept-ranges': 'bytes',
    ...validatorHeaders(info),
    ...storedHeaders(info),
    ...keptEncryption(info),
    ...expirationHeader(info),
    ...(info.storageClass !== undefined && { 'x-amz-storage-class': info.storageClass }),
    ...userMetadataHeaders(info.metadata),
  }
}

/**
 * The headers that a cache stores for an object, sent with 304. The content type is among them, since the cache would
 * otherwise use that of an error document.
 */
export function cacheHeaders(info: ObjectInfo): AnswerHeaders {
  const { contentType, cacheControl, expires } = info
  return {
    ...validatorHeaders(info),
    ...storedHeaders({
      ...(contentType !== undefined && { contentType }),
      ...(cacheControl !== undefined && { cacheControl }),
      ...(expires !== undefined && { expires }),
    }),
  }
}

/** Shows the version id only in buckets where versioning was ever set. */
function validatorHeaders(info: ObjectInfo): AnswerHeaders {
  return {
    etag: quoteEtag(info.etag),
    'last-modified': formatHttpDate(info.lastModified),
    ...(info.bucketVersioning !== undefined && { 'x-amz-version-id': info.versionId }),
  }
}

function storedHeaders(info: ContentHeaders): AnswerHeaders {
  const headers: Record<string, string> = { 'content-type': encodeHeader(info.contentType ?? 'binary/octet-stream') }
  for (const [field, name] of contentHeaders) {
    const value = info[field]
    if (value !== undefined) headers[name] = encodeHeader(value)
  }
  return headers
}

/** Text beyond ASCII becomes encoded words. Invalid header names (set in process) are only counted, as in S3. */
function userMetadataHeaders(metadata: ObjectInfo['metadata']): AnswerHeaders {
  const headers: Record<string, string> = {}
  let missing = 0
  for (const [name, value] of Object.entries(metadata)) {
    if (isLowerCaseName(name)) headers[`x-amz-meta-${name}`] = encodeWords(value)
    else missing += 1
  }
  return missing === 0 ? headers : { ...headers, 'x-amz-missing-meta': String(missing) }
}
