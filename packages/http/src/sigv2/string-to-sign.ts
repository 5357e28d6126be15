/** The text that both sides of a V2 signature must write alike. One byte per character. */

import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { QueryParams } from '../target/query-params.ts'

export interface StringToSignInput {
  readonly method: string
  /** As sent, undecoded; with the bucket in front when the host names it. */
  readonly resource: string
  readonly query: QueryParams
  /** Parameters that are signed; all others are not. */
  readonly parameters: ReadonlySet<string>
  /** With those that the URL carries as parameters. */
  readonly headers: RequestHeaders
  /** `Expires` of a signed URL. Without it: the `Date` header, unless there is an `x-amz-date`. */
  readonly expires: string | undefined
}

/** @throws S3Error `InvalidArgument` for a signed parameter that was given twice, `InvalidRequest` for such a header. */
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

/**
 * The resources a path may be signed as. Clients write a bucket in the path with a slash behind it or without, whatever
 * they send: it is one resource.
 */
export function signedResources(rawPath: string, hostBucket: string | undefined): readonly string[] {
  if (hostBucket !== undefined) return [`/${hostBucket}${rawPath}`]
  return /^\/[^/]+$/.test(rawPath) ? [rawPath, `${rawPath}/`] : [rawPath]
}

function vendorHeaders(headers: RequestHeaders): readonly string[] {
  return headers.names
    .filter((name) => name.startsWith('x-amz-'))
    .sort()
    .map((name) => `${name}:${headers.values(name).map(withoutBlanks).join(',')}`)
}

/** Blanks are space and tab only: to JavaScript a no-break space is one too, but here 0xA0 is half of a letter. */
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
