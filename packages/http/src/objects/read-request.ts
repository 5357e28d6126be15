/** The options that GET and HEAD of an object share. */

import type { HeadOptions, RangeRequest } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { ObjectContext } from '../contract/operation.ts'
import { refuseEncryption } from '../encryption/encryption-in.ts'
import { asCustomerKey, readKey } from '../encryption/customer-key.ts'
import { customerKeyAnswer } from '../encryption/encryption-headers.ts'
import { strongEtags } from '../headers/etags.ts'
import { parseHttpDate } from '../headers/http-date.ts'
import { wantsChecksums } from './checksums.ts'
import { namedObject } from './named-object.ts'
import { parsePartNumber } from '../headers/part-number.ts'
import { parseRange } from '../headers/range.ts'
import { readConditions } from './read-conditions.ts'
import { explainReadError } from './read-errors.ts'
import { responseOverrides, unsignedOverride } from './response-overrides.ts'

export interface ReadRequest {
  /** Without a signal: `objectBody` detects that a client went away. */
  readonly options: Omit<HeadOptions, 'signal'>
  /** Headers of the answer that the client sets. */
  readonly overrides: AnswerHeaders
  /** Whether the answer shows the checksum of its bytes, if it has one. */
  readonly wantsChecksum: boolean
}

/**
 * @throws S3Error `InvalidArgument` for an invalid part number and for overrides that no header can carry,
 * `InvalidRequest` for a range of a part, and for unsigned overrides.
 */
export function readRequest(context: ObjectContext): ReadRequest | Promise<ReadRequest> {
  const whole = requestOfWhole(context)
  const range = parseRange(context.headers.get('range'))
  const validator = context.headers.get('if-range')
  if (range === undefined) return whole
  if (validator === undefined) return requestOfRange(whole, range)
  return isUnchangedNow(context, validator).then((isSame) => (isSame ? requestOfRange(whole, range) : whole))
}

const requestOfRange = ({ options, ...others }: ReadRequest, range: RangeRequest): ReadRequest => ({
  options: { range, ...options },
  ...others,
})

function requestOfWhole(context: ObjectContext): ReadRequest {
  const { headers, query, versionId } = context
  const part = query.get('partNumber')
  const partNumber = part === undefined ? undefined : parsePartNumber(part)
  if (partNumber !== undefined && headers.has('range')) {
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  }
  refuseEncryption(headers)
  const overrides = Object.assign(chosenHeaders(context), customerKeyAnswer(headers))
  const options: { -readonly [K in keyof HeadOptions]: HeadOptions[K] } = { needsKey: true }
  Object.assign(options, readConditions(headers), asCustomerKey(readKey(headers)))
  if (versionId !== undefined) options.versionId = versionId
  if (partNumber !== undefined) options.partNumber = partNumber
  const wantsChecksum = wantsChecksums(headers)
  return { options, overrides, wantsChecksum }
}

function chosenHeaders({ query, identity }: ObjectContext): Record<string, string> {
  const chosen = responseOverrides(query)
  const refusal = identity === undefined ? unsignedOverride(query) : undefined
  if (refusal !== undefined) throw refusal
  return chosen
}

/** Whether the validator of `If-Range` names the version that is current: else the client has a part of another one. */
async function isUnchangedNow(context: ObjectContext, validator: string): Promise<boolean> {
  const { etag, lastModified } = await namedObject(context).catch(explainReadError(context))
  const date = parseHttpDate(validator)
  if (date === undefined) return strongEtags(validator).includes(etag)
  return Math.floor(lastModified.getTime() / 1000) * 1000 === date.getTime()
}
