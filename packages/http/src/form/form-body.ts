/** The file of a form as the body of a request. */

import { limits } from '@varve/core'
import { tooLarge } from '../body/body-length.ts'
import { parseChecksum } from '../body/checksums.ts'
import { parseContentMd5 } from '../body/content-md5.ts'
import { readSmallBody } from '../body/read-small-body.ts'
import { S3Error } from '../errors/errors.ts'
import type { RequestBody } from '../contract/operation.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { LengthRange } from './conditions.ts'
import type { MultipartReader } from './multipart.ts'

export interface FormBodyOptions {
  /** The headers that the fields stand for, checksums included. */
  readonly headers: RequestHeaders
  readonly range: LengthRange
  /** The length of the file if nothing follows it. Known only if the request has a length. */
  readonly expected: number | undefined
}

/**
 * Creates the body. The length of the file is not declared, so its range is checked while the file arrives. The body
 * ends without an error only after the whole request has arrived.
 * @throws S3Error (while reading) `EntityTooLarge`, `EntityTooSmall`, `MalformedPOSTRequest`; at once: as
 * `parseChecksum` and `parseContentMd5` do.
 */
export function createFormBody(reader: MultipartReader, { headers, range, expected }: FormBodyOptions): RequestBody {
  const checksum = parseChecksum(headers)
  const contentMD5 = parseContentMd5(headers)
  const checks = { ...(checksum !== undefined && { checksum }), ...(contentMD5 !== undefined && { contentMD5 }) }
  let taken = false
  const stream = (): AsyncIterable<Uint8Array> => {
    if (taken) throw new TypeError('The body of a request can be read once.')
    taken = true
    return fileBytes(reader, range, expected)
  }
  return {
    length: undefined,
    isLong: true,
    checks: () => checks,
    stream,
    small: (bytesMax) => readSmallBody(stream(), bytesMax),
  }
}

async function* fileBytes(
  reader: MultipartReader,
  { min, max }: LengthRange,
  expected = 0,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytesMax = Math.min(max, limits.uploadSizeMax)
  let size = 0
  try {
    for await (const piece of reader.content()) {
      size += piece.length
      if (size > bytesMax) throw tooLarge(Math.max(size, expected), bytesMax)
      yield piece
    }
    await reader.drain()
  } finally {
    await reader.close()
  }
  if (size < min) throw tooSmall(size, min)
}

function tooSmall(size: number, min: number): S3Error {
  return new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
    details: { ProposedSize: String(size), MinSizeAllowed: String(min) },
  })
}
