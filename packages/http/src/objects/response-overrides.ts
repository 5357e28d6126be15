import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'

const overrides = new Map([
  ['response-content-type', 'content-type'],
  ['response-content-language', 'content-language'],
  ['response-expires', 'expires'],
  ['response-cache-control', 'cache-control'],
  ['response-content-disposition', 'content-disposition'],
  ['response-content-encoding', 'content-encoding'],
])

const unsendable = /[\u0000-\u0008\u000a-\u001f\u007f]/
const beyondLatin1 = /[^\u0000-\u00ff]/

/**
 * Headers of the answer that the query of a GET or HEAD sets. The query is signed: unsigned overrides are refused
 * before.
 * @throws S3Error `InvalidArgument` for values that no header can carry.
 */
export function responseOverrides(query: QueryParams): Record<string, string> {
  const headers: Record<string, string> = {}
  if (query.entries.length === 0) return headers
  for (const [parameter, name] of overrides) {
    const value = query.get(parameter)
    if (value === undefined) continue
    if (unsendable.test(value)) throw refused(parameter, value, 'Header value cannot hold control characters.')
    if (beyondLatin1.test(value))
      throw refused(parameter, value, 'Header value cannot be represented using ISO-8859-1.')
    headers[name] = value
  }
  return headers
}

function refused(parameter: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', message, { details: { ArgumentName: parameter, ArgumentValue: value } })
}

/** Overrides must be signed: an unsigned link could otherwise set headers in the name of the bucket's owner. */
export function unsignedOverride(query: QueryParams): S3Error | undefined {
  const parameter = [...overrides.keys()].find((name) => query.get(name) !== undefined)
  if (parameter === undefined) return undefined
  return new S3Error('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.', {
    details: { ArgumentName: parameter, ArgumentValue: query.get(parameter) ?? '' },
  })
}
