/** Calls of the S3 API. Each operation of the protocol is a function beside this file. */

import type { Query } from '../signing/percent.ts'
import type { Headers as HeaderFields } from '../signing/sign.ts'
import type { Call, Connection } from '../transport/connection.ts'
import { ServerError } from '../transport/failures.ts'
import { md5 } from '@noble/hashes/legacy.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { InvalidXml, readXml, textIn, type XmlElement } from './xml.ts'

export interface S3Call {
  readonly bucket?: string
  readonly key?: string
  readonly query?: Query
  readonly headers?: HeaderFields
  readonly body?: string | Blob
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (bytesSent: number) => void
  /** The moment to look at: a position, a time or a snapshot. */
  readonly at?: string | undefined
}

/** @throws ServerError, Unreachable, `AbortError` */
export function callS3(connection: Connection, method: Call['method'], call: S3Call = {}): Promise<Response> {
  const { bucket, key, at, headers, ...rest } = call
  return connection.send(
    {
      ...rest,
      method,
      path: pathOf(bucket, key),
      headers: { ...headers, ...(at !== undefined && { 'x-varve-at': at }) },
    },
    readS3Error,
  )
}

/** A document, and the request in the log that it answers. */
export interface XmlAnswer {
  readonly root: XmlElement
  readonly requestId: string | undefined
}

/** As `callS3`, for an answer that is a document. */
export async function callForXml(
  connection: Connection,
  method: Call['method'],
  call: S3Call = {},
): Promise<XmlAnswer> {
  const response = await callS3(connection, method, call)
  const root = readXml(await response.text())
  // S3 sends the status before the result of long operations is known.
  if (root.name === 'Error') throw errorIn(root, response)
  return { root, requestId: response.headers.get('x-amz-request-id') ?? undefined }
}

export function pathOf(bucket?: string, key?: string): string {
  if (bucket === undefined) return '/'
  return key === undefined ? `/${bucket}` : `/${bucket}/${key}`
}

/** HEAD answers have no body; a proxy may answer with a page of its own. */
function readS3Error(response: Response, body: string): ServerError {
  try {
    return errorIn(readXml(body), response)
  } catch (error) {
    if (!(error instanceof InvalidXml)) throw error
    const code = response.headers.get('x-amz-error-code') ?? codeOfStatus.get(response.status) ?? 'UnexpectedAnswer'
    return new ServerError({
      code,
      status: response.status,
      message: `The server answered with status ${response.status}.`,
      details: dateOf(response),
      requestId: response.headers.get('x-amz-request-id') ?? undefined,
    })
  }
}

const codeOfStatus: ReadonlyMap<number, string> = new Map([
  [403, 'AccessDenied'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [412, 'PreconditionFailed'],
  [503, 'ServiceUnavailable'],
])

/** The headers of a document that changes something: S3 requires a checksum of it. */
export const documentHeaders = (body: string): HeaderFields => ({
  'content-type': 'application/xml',
  'content-md5': btoa(String.fromCharCode(...md5(utf8ToBytes(body)))),
})

function errorIn(root: XmlElement, response: Response): ServerError {
  const details = Object.fromEntries(root.children.map(({ name, text }) => [name, text]))
  return new ServerError({
    code: textIn(root, 'Code') ?? 'UnexpectedAnswer',
    status: response.status,
    message: textIn(root, 'Message') ?? `The server answered with status ${response.status}.`,
    details: { ...dateOf(response), ...details },
    requestId: response.headers.get('x-amz-request-id') ?? undefined,
  })
}

function dateOf(response: Response): Readonly<Record<string, string>> {
  const date = response.headers.get('date')
  return date === null ? {} : { date }
}
