/**
 * Is a bucket's policy public, as S3 defines it? A statement that allows something to everyone counts as public unless it is
 * narrowed to fixed values of a key that identifies the requester, or to few addresses. What it allows makes no difference.
 */

import { addressesIn } from '../addresses/address-count.ts'
import { anonymous } from './anonymous.ts'
import type { Condition } from './conditions.ts'
import { type IpRange, isInRange, parseIpRange } from '../addresses/ip-range.ts'
import type { Policy, Statement } from './policy.ts'

/** Keys that S3 lists, and that a client cannot give itself. */
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

/** Every request to a restricted bucket needs it, so it is computed once. */
export function isPublicPolicy(policy: Policy): boolean {
  const found = known.get(policy) ?? isPublic(policy)
  known.set(policy, found)
  return found
}

/** Ranges add up: what several statements let in is let in. */
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

/** Whether it allows something to everyone. */
const isForEveryone = ({ effect, principals, conditions = [] }: Statement): boolean =>
  effect === 'Allow' &&
  principals !== undefined &&
  principals.patterns.some(({ kind }) => kind === 'everyone') &&
  !conditions.some(namesRequesters)

/** These hold as well for requests that do not have the key. */
const holdsWithout = ({ ifExists, quantifier }: Condition): boolean => ifExists || quantifier === 'ForAllValues'

const namesRequesters = (condition: Condition): boolean =>
  !holdsWithout(condition) &&
  narrowing.has(condition.key) &&
  listing.has(condition.operator) &&
  condition.values.every((value) => typeof value === 'string' && isFixed(value))

/** No pattern, and not a value that anonymous requests have. */
const isFixed = (value: string): boolean => !/[*?]/.test(value) && value.toLowerCase() !== anonymous.id

/** The addresses that it is narrowed to; nothing where it is not, or to too many. */
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

/** Networks that the world outside cannot send from. */
const isPrivate = (range: IpRange): boolean =>
  privateRanges.some(
    (own) => range.family === own.family && range.prefix >= own.prefix && isInRange(range.address, own),
  )

/** S3 calls a range wider than a /8 of IPv4 or a /32 of IPv6 public, private networks apart. */
function isTooMany(ranges: readonly IpRange[]): boolean {
  const { ipv4, ipv6 } = addressesIn(ranges.filter((range) => !isPrivate(range)))
  return ipv4 > 2n ** 24n || ipv6 > 2n ** 96n
}
