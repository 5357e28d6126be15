/**
 * Refuses headers of a request to the control API that ask for something that it does not read. Its arguments are in the query or in
 * the body, so a condition or a lock in a header of S3 would be passed over. A header that no list has is refused too.
 */
import { checksumAlgorithms } from '@varve/core'
import { harmlessHeaders, screenedHeadersOfHttp } from '../contract/screening.ts'
import type { ControlRow } from '../control/control-row.ts'
import { callerHeader } from '../control/named-caller.ts'
import { S3Error } from '../errors/errors.ts'
import { canonicalHeaderName, type RequestHeaders } from '../target/request-headers.ts'

/** Read with the signature and with the body. */
const understood: ReadonlySet<string> = new Set([
  callerHeader,
  'x-amz-checksum-algorithm',
  ...checksumAlgorithms.map((algorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`),
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-security-token',
  'x-amz-trailer',
  ...harmlessHeaders,
])

/** Reads may pass over those of HTTP. A coding of a body is decoded nowhere, but for that of S3, which its signature announces. */
const ofWrites: ReadonlySet<string> = new Set(screenedHeadersOfHttp)
const plainCodings = ['', 'identity', 'aws-chunked']

/** @throws S3Error `NotImplemented`, with the name of the header */
export function screenControl({ method }: Pick<ControlRow, 'method'>, headers: RequestHeaders): void {
  const isWrite = method !== 'GET'
  for (const sent of headers.names) {
    const name = canonicalHeaderName(sent)
    const isOurs = /^x-(?:amz|varve)-/.test(name) && !understood.has(name)
    if (isOurs || (isWrite && ofWrites.has(name))) throw refused(name)
  }
  if (isWrite) screenCodings(headers)
}

/** @throws S3Error `NotImplemented` */
function screenCodings(headers: RequestHeaders): void {
  const codings = (headers.get('content-encoding') ?? '').toLowerCase().split(/\s*,\s*/)
  const isFramed = headers.get('x-amz-content-sha256')?.startsWith('STREAMING-') === true
  // Framing that is announced here alone is refused with the body: see `declared-framing.ts`.
  if (!isFramed && codings.includes('aws-chunked')) return
  if (!codings.every((coding) => plainCodings.includes(coding.trim()))) throw refused('content-encoding')
}

const refused = (header: string): S3Error =>
  new S3Error('NotImplemented', `The control API does not read the header ${header}.`, { details: { Header: header } })
