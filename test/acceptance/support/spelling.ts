/** The names of response headers as S3 and Node spell them on the wire. Written by hand, so that no rule proves itself. */

const standard = new Set([
  'Accept-Ranges',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Access-Control-Max-Age',
  'Allow',
  'Cache-Control',
  'Connection',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Range',
  'Content-Security-Policy',
  'Content-Type',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Date',
  'ETag',
  'Expires',
  'Keep-Alive',
  'Last-Modified',
  'Location',
  'Permissions-Policy',
  'Referrer-Policy',
  'Retry-After',
  'Server',
  'Trailer',
  'Transfer-Encoding',
  'Vary',
  'WWW-Authenticate',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'x-request-id',
])
const vendor = /^x-(?:amz|svc|varve)-[^A-Z]+$|^X-Tigris(?:-[A-Z][a-z]+)+$/

/** @throws Error for a name that S3 spells in another way, or that is missing in the list above */
export function assertSpelled(names: readonly string[]): void {
  const wrong = names.filter((name) => !standard.has(name) && !vendor.test(name))
  if (wrong.length > 0) throw new Error(`S3 does not send these header names: ${wrong.join(', ')}`)
}
