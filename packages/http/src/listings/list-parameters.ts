/** Parameters that listings share, read the way S3 reads them. An empty value counts as absent. */

import { limits, type PageOptions } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import { urlEncode } from '../xml/url-encode.ts'
import type { BucketContext } from '../contract/operation.ts'

/** @throws S3Error `InvalidArgument` when the parameter was sent twice. */
export function textParam(query: QueryParams, name: string): string | undefined {
  return query.get(name) || undefined
}

/**
 * `max-keys` and similar parameters: whole numbers from 0, cut to 1000 (or `max`), which is also the default.
 * @throws S3Error `InvalidArgument` for anything but digits, and for numbers beyond 2^31 - 1.
 */
export function pageSizeParam(query: QueryParams, name: string, max: number = limits.pageMax): number {
  const text = textParam(query, name)
  if (text === undefined) return max
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= integerMax)) {
    throw new S3Error('InvalidArgument', `Argument ${name} must be an integer between 0 and ${integerMax}`, {
      details: { ArgumentName: name, ArgumentValue: text },
    })
  }
  return Math.min(value, max)
}

/** The form of keys in a listing: as they are, or (`encoding-type=url`) percent-encoded. */
export interface KeyEncoding {
  readonly type: 'url' | undefined
  readonly encode: (text: string) => string
}

/** @throws S3Error `InvalidArgument` for any other type, even an empty one. */
export function encodingParam(query: QueryParams): KeyEncoding {
  const type = query.get('encoding-type')
  if (type === undefined) return { type, encode: (text) => text }
  if (type === 'url') return { type, encode: urlEncode }
  throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request', {
    details: { ArgumentName: 'encoding-type', ArgumentValue: type },
  })
}

/** The parameters of every listing of keys. */
export interface KeyListing extends KeyEncoding {
  readonly prefix: string
  readonly delimiter: string | undefined
  readonly limit: number
  /** The options for the store, without the start of the page. */
  readonly page: PageOptions
}

/** `sizeName` is `max-keys` or a similar name. @throws S3Error `InvalidArgument` as the functions above do */
export function keyListing(context: BucketContext, sizeName: string): KeyListing {
  const { prefix = '', query, client } = context
  const encoding = encodingParam(query)
  const delimiter = textParam(query, 'delimiter')
  const limit = pageSizeParam(query, sizeName)
  const page = { prefix, limit, signal: client.signal, ...(delimiter !== undefined && { delimiter }) }
  return { ...encoding, prefix, delimiter, limit, page }
}

const integerMax = 2 ** 31 - 1
