/**
 * Decides whether a bucket's policy is public, as S3 defines it. A statement that allows something to everyone counts
 * as public unless it is restricted to fixed values of a key that identifies the requester, or to few addresses. It
 * does not matter what the statement allows.
 */

import { addressesIn } from '../addresses/address-count.ts'
import { anonymous } from './anonymous.ts'
import type { Condition } from './conditions.ts'
import { type IpRange, isInRange, parseIpRange } from '../addresses/ip-range.ts'
import type { Policy, Statement } from './policy.ts'

/** Keys that S3 lists, and whose values a client cannot choose. */
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

const known = new WeakMap<Policy, boolean>()

/** Computed once for each policy, since every request to a restricted bucket needs it. */
export function isPublicPolicy(policy: Policy): boolean {
  const found = known.get(policy) ?? isPublic(policy)
  known.set(policy, found)
  return found
}

/** Ranges add up: the policy lets in the addresses of all its statements. */
function isPublic({ statements }: Policy): boolean {
  const open = statements.filter(isForEveryone)
  const ranges: IpRange[] = []
  for (const statement of open) {
    const own = rangesOf(statement)
    if (own === undefined) return true
    ranges.push(...own)
  }
  return isTooMany(ranges)
}

/** Whether the statement allows something to everyone. */
const isForEveryone = ({ effect, principals, conditions = [] }: Statement): boolean =>
  effect === 'Allow' &&
  principals !== undefined &&
  principals.patterns.some(({ kind }) => kind === 'everyone') &&
  !conditions.some(namesRequesters)

/** Whether the condition also holds for requests without the key. */
const holdsWithout = ({ ifExists, quantifier }: Condition): boolean => ifExists || quantifier === 'ForAllValues'

const namesRequesters = (condition: Condition): boolean =>
  !holdsWithout(condition) &&
  narrowing.has(condition.key) &&
  listing.has(condition.operator) &&
  condition.values.every((value) => typeof value === 'string' && isFixed(value))

/** Whether the value is not a pattern, and not the id of anonymous requests. */
const isFixed = (value: string): boolean => !/[*?]/.test(value) && value.toLowerCase() !== anonymous.id

/** The addresses that a statement is restricted to. `undefined` if it is not restricted, or to too many addresses. */
function rangesOf({ conditions = [] }: Statement): readonly IpRange[] | undefined {
  return conditions.map(addressesNamed).find((ranges) => ranges !== undefined && !isTooMany(ranges))
}

function addressesNamed(condition: Condition): readonly IpRange[] | undefined {
  const { key, operator, values } = condition
  if (key !== 'aws:sourceip' || operator !== 'IpAddress' || holdsWithout(condition)) return undefined
  const ranges = values.map((value) => (typeof value === 'string' ? parseIpRange(value) : undefined))
  return ranges.every((range) => range !== undefined) ? ranges : undefined
}

const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map((text) => parseIpRange(text) as IpRange)

/** Whether the range is in private networks, from which no request of the internet can come. */
const isPrivate = (range: IpRange): boolean =>
  privateRanges.some(
    (own) => range.family === own.family && range.prefix >= own.prefix && isInRange(range.address, own),
  )

/** S3 calls a range wider than a /8 of IPv4 or a /32 of IPv6 public, except for private networks. */
function isTooMany(ranges: readonly IpRange[]): boolean {
  const { ipv4, ipv6 } = addressesIn(ranges.filter((range) => !isPrivate(range)))
  return ipv4 > 2n ** 24n || ipv6 > 2n ** 96n
}
