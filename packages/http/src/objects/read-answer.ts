/** The status and headers of answers to GET and HEAD of an object. */

import type { ObjectInfo } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { checksumHeaders } from './checksums.ts'
import { objectHeaders } from './object-headers.ts'
import type { ReadRequest } from './read-request.ts'

export interface ReadAnswer {
  readonly status: 200 | 206
  readonly headers: AnswerHeaders
  readonly contentLength: number
}

/**
 * 206 for the requested range or part. An empty part, or the end of an empty object, has no range to name, so its status is
 * 200.
 */
export function readAnswer(
  info: ObjectInfo,
  { options, overrides, wantsChecksum }: ReadRequest,
  annotationHeaders: AnswerHeaders = {},
): ReadAnswer {
  const { start, end } = info.range ?? { start: 0, end: info.size }
  const isPart = info.range !== undefined && end > start
  const countsParts = options.partNumber !== undefined && info.partsCount !== undefined
  const headers = objectHeaders(info)
  Object.assign(headers, annotationHeaders)
  if (isPart) headers['content-range'] = `bytes ${start}-${end - 1}/${info.size}`
  if (countsParts) headers['x-amz-mp-parts-count'] = String(info.partsCount)
  // The checksum of the whole is not that of a range of it.
  const isChecked = options.range === undefined || end - start === info.size
  if (wantsChecksum && isChecked) Object.assign(headers, checksumHeaders(info.checksum))
  Object.assign(headers, overrides)
  return { status: isPart ? 206 : 200, headers, contentLength: end - start }
}
