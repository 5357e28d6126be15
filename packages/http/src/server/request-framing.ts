/** What a request's first line and framing mean, decided once for everything that answers requests. */

import type { IncomingMessage } from 'node:http'
import { chunkedRefusal } from '../body/declared-framing.ts'
import { S3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'

const absoluteForm = /^https?:\/\/([^/?#@\s]+)([/?].*)?$/is

/**
 * Rewrites an absolute request target (`GET http://host/bucket/key`) to its path and query. Its host replaces the Host
 * header, as RFC 9112 section 3.2.2 requires, so clients, routing and signatures see one host.
 */
export function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request
  if (url.startsWith('/')) return
  const [, host, rest = ''] = absoluteForm.exec(url) ?? []
  if (host === undefined) return
  const { rawHeaders } = request
  const hosts = rawHeaders.flatMap((name, at) => (at % 2 === 0 && name.toLowerCase() === 'host' ? [at] : []))
  // Section 3.2: more than one is an error, whatever the target. The target stays as it is, and is refused.
  if (hosts.length > 1) return
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  if (hosts[0] === undefined) rawHeaders.push('Host', host)
  else rawHeaders[hosts[0] + 1] = host
  request.headers.host = host
}

/**
 * HTTP/1.0 has no transfer codings, so what is between may have read another end of the request. RFC 9112 section 6.1: its framing is faulty,
 * and the connection ends.
 */
export const isFaultilyFramed = ({ headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined &&
  (httpVersionMajor < 1 || (httpVersionMajor === 1 && httpVersionMinor < 1))

/**
 * RFC 9112 section 6.1: a server answers 501 to a transfer coding that it does not know. `chunked` is the only one that
 * is decoded here; the bytes under any other coding are not the bytes of the object.
 */
export function refusedTransferCoding(request: IncomingMessage): S3Error | undefined {
  const coding = request.headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (isFaultilyFramed(request)) return new S3Error('InvalidRequest', 'Transfer-Encoding needs HTTP/1.1.')
  if (coding.trim().toLowerCase() === 'chunked') return undefined
  return new S3Error('NotImplemented', 'The only transfer coding that is implemented is chunked.', {
    details: { Header: 'Transfer-Encoding' },
  })
}

/**
 * For the control API on a socket. Its requests have no signature and no `x-amz-content-sha256`, so it decodes no
 * aws-chunked body.
 */
export function socketRefusal(request: IncomingMessage): S3Error | undefined {
  const { headers, rawHeaders } = request
  const coding = refusedTransferCoding(request)
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (coding !== undefined || isEmpty) return coding
  return chunkedRefusal(createRequestHeaders(rawHeaders), 'A request of the control socket')
}
