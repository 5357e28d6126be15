/** The headers of answers with an object. */

import type { ContentHeaders, ObjectInfo } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { isLowerCaseName } from '../target/lower-case-name.ts'
import { keptEncryption } from '../encryption/encryption-headers.ts'
import { expirationHeader } from './expiration-header.ts'
import { quoteEtag } from '../headers/etags.ts'
import { encodeWords } from '../headers/encoded-words.ts'
import { encodeStoredHeader } from '../headers/header-text.ts'
import { formatHttpDate } from '../headers/http-date.ts'

const contentHeaders = [
  ['contentEncoding', 'content-encoding'],
  ['contentLanguage', 'content-language'],
  ['contentDisposition', 'content-disposition'],
  ['cacheControl', 'cache-control'],
  ['expires', 'expires'],
  ['websiteRedirectLocation', 'x-amz-website-redirect-location'],
] as const satisfies readonly (readonly [keyof ContentHeaders, string])[]

/** All headers except length, range and checksums, which depend on the request. The caller may add those to the result. */
export function objectHeaders(info: ObjectInfo): Record<string, string> {
  const headers: Record<string, string> = { 'accept-ranges': 'bytes' }
  addValidators(headers, info)
  addStored(headers, info)
  Object.assign(headers, keptEncryption(info), expirationHeader(info))
  if (info.storageClass !== undefined) headers['x-amz-storage-class'] = info.storageClass
  addUserMetadata(headers, info.metadata)
  return headers
}

/**
 * The headers that a cache stores for an object, sent with 304. The content type is among them, since the cache would
 * otherwise use that of an error document.
 */
export function cacheHeaders(info: ObjectInfo): AnswerHeaders {
  const { contentType, cacheControl, expires } = info
  const headers: Record<string, string> = {}
  addValidators(headers, info)
  addStored(headers, {
    ...(contentType !== undefined && { contentType }),
    ...(cacheControl !== undefined && { cacheControl }),
    ...(expires !== undefined && { expires }),
  })
  return headers
}

/** Shows the version id only in buckets where versioning was ever set. */
function addValidators(headers: Record<string, string>, info: ObjectInfo): void {
  headers['etag'] = quoteEtag(info.etag)
  headers['last-modified'] = formatHttpDate(info.lastModified)
  if (info.bucketVersioning !== undefined) headers['x-amz-version-id'] = info.versionId
}

function addStored(headers: Record<string, string>, info: ContentHeaders): void {
  headers['content-type'] = encodeStoredHeader(info.contentType ?? 'binary/octet-stream')
  for (const [field, name] of contentHeaders) {
    const value = info[field]
    if (value !== undefined) headers[name] = encodeStoredHeader(value)
  }
}

/** Text beyond ASCII becomes encoded words. Invalid header names (set in process) are only counted, as in S3. */
function addUserMetadata(headers: Record<string, string>, metadata: ObjectInfo['metadata']): void {
  let missing = 0
  for (const name in metadata) {
    if (isLowerCaseName(name)) headers[`x-amz-meta-${name}`] = encodeWords(metadata[name] as string)
    else missing += 1
  }
  if (missing > 0) headers['x-amz-missing-meta'] = String(missing)
}
