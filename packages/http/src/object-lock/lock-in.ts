/** `x-amz-object-lock-…`: the retention and legal hold of a new version. */

import type { Retention } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { parseIsoTime } from '../headers/iso-time.ts'

const modeHeader = 'x-amz-object-lock-mode'
const dateHeader = 'x-amz-object-lock-retain-until-date'
const holdHeader = 'x-amz-object-lock-legal-hold'

export const lockHeaders = [modeHeader, dateHeader, holdHeader] as const
export const objectLockEnabledHeader = 'x-amz-bucket-object-lock-enabled'

export interface LockOptions {
  readonly retention?: Retention
  readonly legalHold?: 'ON' | 'OFF'
}

/** @throws S3Error `InvalidArgument` for a mode without a date, a date without a mode, and unknown words. */
export function lockIn(headers: RequestHeaders): LockOptions {
  const retention = retentionIn(headers)
  const legalHold = legalHoldIn(headers)
  return { ...(retention !== undefined && { retention }), ...(legalHold !== undefined && { legalHold }) }
}

/** Whether a new bucket has Object Lock, which requires versioning from the start. @throws S3Error `InvalidArgument` */
export function objectLockEnabledIn(headers: RequestHeaders): boolean {
  const word = headers.single(objectLockEnabledHeader)?.trim().toLowerCase() ?? 'false'
  if (word === 'true' || word === 'false') return word === 'true'
  throw invalid('Object Lock is enabled or not: true or false', objectLockEnabledHeader, word)
}

function retentionIn(headers: RequestHeaders): Retention | undefined {
  const mode = headers.single(modeHeader)
  const date = headers.single(dateHeader)
  if (mode === undefined && date === undefined) return undefined
  if (mode === undefined) throw incomplete(modeHeader)
  if (mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE') throw invalid('Unknown wormMode directive.', modeHeader, mode)
  if (date === undefined) throw incomplete(dateHeader)
  const until = parseIsoTime(date)
  if (until !== undefined) return { mode, until }
  throw invalid('The retain until date must be provided in ISO 8601 format', dateHeader, date)
}

function legalHoldIn(headers: RequestHeaders): 'ON' | 'OFF' | undefined {
  const word = headers.single(holdHeader)
  if (word === undefined || word === 'ON' || word === 'OFF') return word
  throw invalid("Legal Hold must be either of 'ON' or 'OFF'", holdHeader, word)
}

function incomplete(missing: string): S3Error {
  return new S3Error('InvalidArgument', `${dateHeader} and ${modeHeader} must both be supplied`, {
    details: { ArgumentName: missing },
  })
}

function invalid(message: string, name: string, value: string): S3Error {
  return new S3Error('InvalidArgument', message, {
    details: { ArgumentName: name, ArgumentValue: value.slice(0, 256) },
  })
}
