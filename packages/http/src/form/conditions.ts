/** Checks the fields of a form against its policy. */

import { S3Error } from '../errors/errors.ts'
import type { Condition, PolicyDocument } from './policy-document.ts'
import { isIgnored } from './read-form.ts'

/** The accepted length of the file, in bytes; both bounds are inclusive. */
export interface LengthRange {
  readonly min: number
  readonly max: number
}

/**
 * Checks that every condition holds, and that every field has a condition. Returns the accepted lengths of the file.
 * @param fields The form's fields, with its `bucket`, and a `key` that contains the name of the file.
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
  // `starts-with` an empty text also accepts an absent field.
  if (sent === undefined) return kind !== 'eq' && value === ''
  if (kind === 'eq') return sent === value
  // A content type may be a list of types, and each of them must match.
  const items = name === 'content-type' ? sent.split(',').map((item) => item.trim()) : [sent]
  return items.every((item) => item.startsWith(value))
}

/** Signature fields need no condition. Neither do checksums, which can only restrict. */
function isExempt(name: string): boolean {
  return unnamed.has(name) || isIgnored(name) || name.startsWith('x-amz-checksum-')
}

const unnamed: ReadonlySet<string> = new Set(['awsaccesskeyid', 'policy', 'signature', 'x-amz-signature'])

function denied(reason: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${reason}`)
}
