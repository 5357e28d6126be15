/** The text of a V2 signature, which client and server must write alike. One byte per character. */

import { S3Error } from '../errors/errors.ts'
import { percentDecode } from '../target/percent.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { QueryParams } from '../target/query-params.ts'

export interface StringToSignInput {
  readonly method: string
  /** As sent, undecoded. The bucket comes first when the host names it. */
  readonly resource: string
  readonly query: QueryParams
  /** Parameters that are signed; no others are. */
  readonly parameters: ReadonlySet<string>
  /** The headers, including those that the URL carries as parameters. */
  readonly headers: RequestHeaders
  /** `Expires` of a signed URL. Without it: the `Date` header, unless there is an `x-amz-date`. */
  readonly expires: string | undefined
}

/** @throws S3Error `InvalidArgument` for a signed parameter given twice, `InvalidRequest` for such a header. */
export function stringToSign(input: StringToSignInput): string {
  const { method, headers, expires, resource } = input
  const date = headers.has('x-amz-date') ? '' : (headers.single('date') ?? '')
  return [
    method,
    headers.single('content-md5') ?? '',
    headers.single('content-type') ?? '',
    expires ?? date,
    ...vendorHeaders(headers),
    resource + signedQuery(input),
  ].join('\n')
}

/** Decoded: behind an encoded slash is a key, and a slash more would be another key. */
const namesBucket = /^\/[^/]+$/

/**
 * The resources that a path may be signed as. Clients sign a bucket in the path with or without a final slash, whatever
 * they send: both name the same resource.
 */
export function signedResources(rawPath: string, hostBucket: string | undefined): readonly string[] {
  if (hostBucket !== undefined) return [`/${hostBucket}${rawPath}`]
  return namesBucket.test(percentDecode(rawPath)) ? [rawPath, `${rawPath}/`] : [rawPath]
}

function vendorHeaders(headers: RequestHeaders): readonly string[] {
  return headers.names
    .filter((name) => name.startsWith('x-amz-'))
    .sort()
    .map((name) => `${name}:${headers.values(name).map(withoutBlanks).join(',')}`)
}

/** Only space and tab are blanks: JavaScript also counts a no-break space, but 0xA0 may be one byte of a letter. */
const withoutBlanks = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, '')

function signedQuery({ query, parameters }: StringToSignInput): string {
  const found = new Map<string, string>()
  for (const [name, value] of query.entries) {
    if (!parameters.has(name)) continue
    if (found.has(name)) throw givenTwice(name)
    found.set(name, value === '' ? name : `${name}=${Buffer.from(value, 'utf8').toString('latin1')}`)
  }
  const names = [...found.keys()].sort()
  return names.length === 0 ? '' : `?${names.map((name) => found.get(name)).join('&')}`
}

export function givenTwice(name: string): S3Error {
  return new S3Error('InvalidArgument', 'A query parameter was given more than once.', {
    details: { ArgumentName: name },
  })
}
