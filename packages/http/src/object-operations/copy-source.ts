/**
 * `x-amz-copy-source`: the object that a copy takes its bytes from. It is parsed here once, and both authorisation and
 * reading use the result.
 */

import { sourceKeyHeaderNames } from '../encryption/customer-key.ts'
import { S3Error } from '../errors/errors.ts'
import { sourceConditionHeaders } from '../objects/read-conditions.ts'
import { percentDecode } from '../target/percent.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

/** The headers of every copy about its source. */
export const copySourceHeaders = [
  'x-amz-copy-source',
  ...Object.values(sourceConditionHeaders),
  ...sourceKeyHeaderNames,
]

export interface ParsedCopySource {
  readonly bucket: string
  readonly key: string
  readonly versionId?: string
}

const versionMark = '?versionId='

/**
 * Takes the undecoded header, one byte per character. It is split at its `?` before decoding, so that `%3FversionId=`
 * belongs to the key. As in a form, `+` is a space and `%2B` a plus.
 */
export function parseCopySource(raw: string): ParsedCopySource {
  const mark = raw.indexOf('?')
  const path = decode(mark === -1 ? raw : raw.slice(0, mark)).replace(/^\//, '')
  const slash = path.indexOf('/')
  if (slash <= 0 || slash === path.length - 1) {
    throw invalid('Copy Source must mention the source bucket and key: sourcebucket/sourcekey', raw)
  }
  const source = { bucket: path.slice(0, slash), key: path.slice(slash + 1) }
  if (mark === -1) return source
  if (!raw.startsWith(versionMark, mark)) {
    throw invalid('Copy Source can have no parameter but versionId; a ? in a key is sent as %3F', raw)
  }
  const versionId = decode(raw.slice(mark + versionMark.length))
  if (versionId === '') throw invalid('Version id cannot be the empty string', raw)
  return { ...source, versionId }
}

/**
 * The source that a copy request names.
 * @throws S3Error `InvalidArgument` when it names none, or not as `bucket/key` or `bucket/key?versionId=id`.
 */
export function copySourceOf(headers: RequestHeaders): ParsedCopySource {
  return parseCopySource(headers.single('x-amz-copy-source') ?? '')
}

function decode(raw: string): string {
  try {
    return percentDecode(raw.replaceAll('+', ' '))
  } catch {
    throw invalid('Invalid copy source encoding.', raw)
  }
}

function invalid(message: string, raw: string): S3Error {
  return new S3Error('InvalidArgument', message, {
    details: { ArgumentName: 'x-amz-copy-source', ArgumentValue: raw.slice(0, 2048) },
  })
}
