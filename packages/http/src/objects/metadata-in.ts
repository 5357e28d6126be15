/** Reads the request headers that are stored with an object. */

import { type ContentHeaders, decodeWords, type MetadataOptions } from '@varve/core'
import { storedContentEncoding } from '../body/content-encoding.ts'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { decodeHeader, storedHeader } from '../headers/header-text.ts'

/**
 * The metadata of a write. An empty header counts as absent, but an empty content type and empty user metadata are
 * kept.
 * @throws S3Error `InvalidArgument` for values that no header could carry back, `InvalidRedirectLocation` for invalid
 * redirects.
 */
export function metadataOptions(headers: RequestHeaders): MetadataOptions {
  const stored = (name: string, raw: string | undefined): string | undefined =>
    raw === undefined || raw === '' ? undefined : storedHeader(name, raw)
  const read = (name: string): string | undefined => stored(name, headers.get(name))
  const kept: { -readonly [K in keyof MetadataOptions]: MetadataOptions[K] } = { metadata: userMetadata(headers) }
  const keep = (field: keyof ContentHeaders, value: string | undefined): void => {
    if (value !== undefined) kept[field] = value
  }
  const contentType = headers.single('content-type')
  if (contentType !== undefined) kept.contentType = storedHeader('content-type', contentType)
  keep('contentEncoding', stored('content-encoding', storedContentEncoding(headers.get('content-encoding'))))
  keep('contentLanguage', read('content-language'))
  keep('contentDisposition', read('content-disposition'))
  keep('cacheControl', read('cache-control'))
  keep('expires', read('expires'))
  keep('websiteRedirectLocation', stored(redirectHeader, checkRedirect(headers.get(redirectHeader))))
  return kept
}

const redirectHeader = 'x-amz-website-redirect-location'

/** By lower-case name. The object has no prototype, so every name is data. */
function userMetadata(headers: RequestHeaders): Readonly<Record<string, string>> {
  const metadata: Record<string, string> = Object.create(null)
  for (const [name, raw] of headers.withPrefix('x-amz-meta-')) {
    if (name === '') throw new S3Error('InvalidArgument', 'User metadata must have a name.')
    metadata[name] = decodeWords(decodeHeader(`x-amz-meta-${name}`, raw))
  }
  return metadata
}

function checkRedirect(location: string | undefined): string | undefined {
  if (location === undefined || location === '' || /^(?:\/|https?:\/\/)/i.test(location)) return location
  throw new S3Error(
    'InvalidRedirectLocation',
    "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
  )
}
