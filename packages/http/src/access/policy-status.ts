/**
 * Is a bucket's policy public, as S3 sees it: does it allow something to everyone, without narrowing that to fixed values of
 * something only a known few can have?
 */

import type { Condition } from './conditions.ts'
import { type IpRange, isInRange, parseIpRange } from './ip-range.ts'
import type { Policy, Statement } from './policy.ts'

/** Keys whose fixed values name who asks, or from where. */
const narrowing: ReadonlySet<string> = new Set([
  'aws:principalaccount',
  'aws:principalarn',
  'aws:principalorgid',
  'aws:principalorgpaths',
  'aws:sourceaccount',
  'aws:sourcearn',
  'aws:sourceowner',
  'aws:sourcevpc',
  'aws:sourcevpce',
  'aws:userid',
  'aws:username',
  's3:dataaccesspointaccount',
  's3:dataaccesspointarn',
])

/** Operators that hold only for the values they list. */
const listing: ReadonlySet<string> = new Set([
  'StringEquals',
  'StringEqualsIgnoreCase',
  'StringLike',
  'ArnEquals',
  'ArnLike',
])

export function isPublicPolicy({ statements }: Policy): boolean {
  return statements.some(isPublicStatement)
}

function isPublicStatement({ effect, principals, conditions = [] }: Statement): boolean {
  if (effect !== 'Allow' || principals === undefined) return false
  return principals.patterns.some(({ kind }) => kind === 'everyone') && !conditions.some(narrows)
}

function narrows({ operator, quantifier, ifExists, key, values }: Condition): boolean {
  // These hold as well for requests that do not have the key.
  if (ifExists || quantifier === 'ForAllValues') return false
  if (key === 'aws:sourceip')
    return operator === 'IpAddress' && values.every((value) => typeof value === 'string' && isNarrowRange(value))
  return narrowing.has(key) && listing.has(operator) && values.every(isFixed)
}

const isFixed = (value: Condition['values'][number]): boolean => typeof value === 'string' && !/[*?]/.test(value)

const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map((text) => parseIpRange(text) as IpRange)

/** S3 calls ranges wider than these public, but for private ones. */
function isNarrowRange(text: string): boolean {
  const range = parseIpRange(text)
  if (range === undefined) return false
  if (range.family === 'ipv6') return range.prefix >= 32
  return range.prefix >= 8 || privateRanges.some((own) => range.prefix >= own.prefix && isInRange(range.address, own))
}
