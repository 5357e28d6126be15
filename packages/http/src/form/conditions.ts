/** Holds a form to its policy. */

import { S3Error } from '../errors/errors.ts'
import type { Condition, PolicyDocument } from './policy-document.ts'
import { isIgnored } from './read-form.ts'

/** How long the file may be, both included. */
export interface LengthRange {
  readonly min: number
  readonly max: number
}

/**
 * Every condition must hold, and every field must have one. Returns the range of lengths that the file must be in.
 * @param fields What the form comes to: with its `bucket`, and a `key` that has the name of the file in it.
 * @throws S3Error `AccessDenied`
 */
export function checkConditions(
  { expiration, conditions }: PolicyDocument,
  fields: ReadonlyMap<string, string>,
  now: number,
): LengthRange {
  if (now > expiration) throw denied('Policy expired.')
  for (const condition of conditions) {
    if (!holds(condition, fields))
      throw denied(`Policy Condition failed: ${'shown' in condition ? condition.shown : ''}`)
  }
  const named = new Set(conditions.map((condition) => ('name' in condition ? condition.name : undefined)))
  const extra = [...fields.keys()].filter((name) => !named.has(name) && !isExempt(name))
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`)
  const ranges = conditions.filter((condition) => condition.kind === 'length')
  return {
    min: Math.max(0, ...ranges.map(({ min }) => min)),
    max: Math.min(Number.POSITIVE_INFINITY, ...ranges.map(({ max }) => max)),
  }
}

function holds(condition: Condition, fields: ReadonlyMap<string, string>): boolean {
  if (condition.kind === 'length') return true
  if (condition.kind === 'never') return false
  const { kind, name, value } = condition
  const sent = fields.get(name)
  // Whatever begins with nothing may be nothing.
  if (sent === undefined) return kind !== 'eq' && value === ''
  if (kind === 'eq') return sent === value
  // Several types are a list, and each of them must do.
  const items = name === 'content-type' ? sent.split(',').map((item) => item.trim()) : [sent]
  return items.every((item) => item.startsWith(value))
}

/** Signature fields, and checksums, which can only restrict. */
function isExempt(name: string): boolean {
  return unnamed.has(name) || isIgnored(name) || name.startsWith('x-amz-checksum-')
}

const unnamed: ReadonlySet<string> = new Set(['awsaccesskeyid', 'policy', 'signature', 'x-amz-signature'])

function denied(reason: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${reason}`)
}
