import { describe, expect, it } from 'vitest'
import { conditionsHold, parseConditions } from './conditions.ts'

/** The condition keys of a request with their values, in lower case. */
type Parsed = Readonly<Record<string, string | readonly string[]>>

const holds = (condition: unknown, parsed: Parsed, version: '2012-10-17' | '2008-10-17' = '2012-10-17'): boolean =>
  conditionsHold(parseConditions(condition, 'Condition', version === '2012-10-17'), (key) => {
    const value = parsed[key]
    return typeof value === 'string' ? [value] : value
  })

type Row = readonly [title: string, condition: unknown, parsed: Parsed, holds: boolean]

const prefix = (value: string): Parsed => ({ 's3:prefix': value })
const line = (operator: string, key: string, ...values: unknown[]) => ({ [operator]: { [key]: values } })
const text = (operator: string, ...values: unknown[]) => line(operator, 's3:prefix', ...values)
const keys = (operator: string, ...values: unknown[]) => line(operator, 's3:RequestObjectTagKeys', ...values)
const tagKeys = (...values: string[]): Parsed => ({ 's3:requestobjecttagkeys': values })
const max = (value: string): Parsed => ({ 's3:max-keys': value })
const numeric = (operator: string, value: unknown) => line(operator, 's3:max-keys', value)
const now = (value: string): Parsed => ({ 'aws:currenttime': value })
const date = (operator: string, value: unknown) => line(operator, 'aws:CurrentTime', value)
const ip = (operator: string, ...values: string[]) => line(operator, 'aws:SourceIp', ...values)
const from = (value: string): Parsed => ({ 'aws:sourceip': value })
const arn = (operator: string, value: string) => line(operator, 'aws:PrincipalArn', value)
const who = (value: string): Parsed => ({ 'aws:principalarn': value })
const alice = 'arn:aws:iam::1:user/alice'

const strings: readonly Row[] = [
  ['equal', text('StringEquals', 'a'), prefix('a'), true],
  ['not equal', text('StringEquals', 'a'), prefix('b'), false],
  ['in another case', text('StringEquals', 'a'), prefix('A'), false],
  ['a star is a star', text('StringEquals', 'a*'), prefix('ab'), false],
  ['one of several', text('StringEquals', 'a', 'b'), prefix('b'), true],
  ['none of several', text('StringEquals', 'a', 'b'), prefix('c'), false],
  ['empty', text('StringEquals', ''), prefix(''), true],
  ['any case', text('StringEqualsIgnoreCase', 'aB'), prefix('Ab'), true],
  ['not, in any case', text('StringNotEqualsIgnoreCase', 'aB'), prefix('Ab'), false],
  ['not: another', text('StringNotEquals', 'a'), prefix('b'), true],
  ['not: the same', text('StringNotEquals', 'a'), prefix('a'), false],
  ['not: it must be none of several', text('StringNotEquals', 'a', 'b'), prefix('b'), false],
  ['like', text('StringLike', 'home/*/x?'), prefix('home/a/b/x1'), true],
  ['like, not quite', text('StringLike', 'home/?'), prefix('home/'), false],
  ['not like', text('StringNotLike', 'home/*'), prefix('away/'), true],
  ['not like, but it is', text('StringNotLike', 'home/*'), prefix('home/'), false],
  ['a key in any case', line('StringEquals', 'S3:Prefix', 'a'), prefix('a'), true],
  ['a value alone', { StringEquals: { 's3:prefix': 'a' } }, prefix('a'), true],
  ['a number as text', text('StringEquals', 1), prefix('1'), true],
]

const others: readonly Row[] = [
  ['numbers by value', numeric('NumericEquals', '10'), max('10.0'), true],
  ['numbers as numbers', numeric('NumericLessThanEquals', 10), max('10'), true],
  ['less', numeric('NumericLessThan', '10'), max('9'), true],
  ['not less by being text', numeric('NumericLessThan', '10'), max('9x'), false],
  ['greater', numeric('NumericGreaterThan', '10'), max('100'), true],
  ['greater or equal', numeric('NumericGreaterThanEquals', '10'), max('10'), true],
  ['another number', numeric('NumericNotEquals', '10'), max('11'), true],
  ['the same number', numeric('NumericNotEquals', '10'), max('10'), false],
  ['what is no number is another', numeric('NumericNotEquals', '10'), max('ten'), true],
  ['before', date('DateLessThan', '2026-01-01T00:00:00Z'), now('2025-12-31T23:59:59.999Z'), true],
  ['not before', date('DateLessThan', '2026-01-01T00:00:00Z'), now('2026-01-01T00:00:00.000Z'), false],
  ['at the latest', date('DateLessThanEquals', '2026-01-01'), now('2026-01-01T00:00:00.000Z'), true],
  ['after', date('DateGreaterThan', '2026-01-01T01:00:00+01:00'), now('2026-01-01T00:00:01Z'), true],
  ['at the earliest', date('DateGreaterThanEquals', '1767225600'), now('2026-01-01T00:00:00Z'), true],
  ['at that time', date('DateEquals', '2026-01-01T00:00:00Z'), now('2026-01-01T00:00:00.000Z'), true],
  ['at any other', date('DateNotEquals', '2026-01-01T00:00:00Z'), now('2026-01-01T00:00:01Z'), true],
  ['seconds of the epoch', line('DateLessThan', 'aws:EpochTime', '2026'), { 'aws:epochtime': '1700000000' }, true],
  ['true', line('Bool', 'aws:SecureTransport', 'true'), { 'aws:securetransport': 'true' }, true],
  ['false', line('Bool', 'aws:SecureTransport', false), { 'aws:securetransport': 'true' }, false],
  ['an odd spelling of true', line('Bool', 'aws:SecureTransport', 'True'), { 'aws:securetransport': 'true' }, true],
  ['bytes', line('BinaryEquals', 's3:prefix', 'QmluYXJ5'), prefix('QmluYXJ5'), true],
  ['an address', ip('IpAddress', '203.0.113.7'), from('203.0.113.7'), true],
  ['a range', ip('IpAddress', '203.0.113.0/24'), from('203.0.113.255'), true],
  ['beyond the range', ip('IpAddress', '203.0.113.0/24'), from('203.0.114.0'), false],
  ['one of two ranges', ip('IpAddress', '10.0.0.0/8', '203.0.113.0/24'), from('203.0.113.1'), true],
  ['everywhere', ip('IpAddress', '0.0.0.0/0'), from('8.8.8.8'), true],
  ['IPv6', ip('IpAddress', '2001:db8::/32'), from('2001:db8:1::5'), true],
  ['IPv4 is not IPv6', ip('IpAddress', '::/0'), from('8.8.8.8'), false],
  ['IPv4 in IPv6 is IPv4', ip('IpAddress', '127.0.0.0/8'), from('::ffff:127.0.0.1'), true],
  ['an IPv4 address as one of IPv6', ip('IpAddress', '::ffff:127.0.0.1'), from('127.0.0.1'), true],
  ['a range of IPv4 as one of IPv6', ip('IpAddress', '::FFFF:10.0.0.0/104'), from('10.9.9.9'), true],
  ['beyond a range of IPv4 as one of IPv6', ip('IpAddress', '::ffff:10.0.0.0/104'), from('11.0.0.1'), false],
  ['not that address', ip('NotIpAddress', '203.0.113.0/24'), from('8.8.8.8'), true],
  ['not, but it is', ip('NotIpAddress', '203.0.113.0/24'), from('203.0.113.5'), false],
  ['what is no address is in no range', ip('IpAddress', '0.0.0.0/0'), from('unknown'), false],
  ['an ARN', arn('ArnEquals', alice), who(alice), true],
  ['an ARN by pattern', arn('ArnLike', 'arn:aws:iam::*:user/a?ice'), who(alice), true],
  ['equals takes patterns as well', arn('ArnEquals', 'arn:aws:iam::*:user/*'), who(alice), true],
  ['stars stay within their part', arn('ArnLike', 'arn:aws:*:1:user/alice:*'), who(alice), false],
  ['stars reach over colons in the last', arn('ArnLike', 'arn:aws:sns:r:1:*'), who('arn:aws:sns:r:1:a:b'), true],
  ['not that ARN', arn('ArnNotLike', 'arn:aws:iam::2:*'), who(alice), true],
  ['not, but it is that ARN', arn('ArnNotEquals', 'arn:aws:iam::1:*'), who(alice), false],
]

const absent: readonly Row[] = [
  ['StringEquals', text('StringEquals', 'a'), {}, false],
  ['StringLike, whatever', text('StringLike', '*'), {}, false],
  ['StringNotEquals', text('StringNotEquals', 'a'), {}, true],
  ['StringNotLike, whatever', text('StringNotLike', '*'), {}, true],
  ['NumericLessThan', numeric('NumericLessThan', '10'), {}, false],
  ['NumericNotEquals', numeric('NumericNotEquals', '10'), {}, true],
  ['DateNotEquals', date('DateNotEquals', '2026-01-01'), {}, true],
  ['Bool false', line('Bool', 'aws:MultiFactorAuthPresent', 'false'), {}, false],
  ['BoolIfExists false', line('BoolIfExists', 'aws:MultiFactorAuthPresent', 'false'), {}, true],
  ['IpAddress', ip('IpAddress', '0.0.0.0/0'), {}, false],
  ['NotIpAddress', ip('NotIpAddress', '10.0.0.0/8'), {}, true],
  ['ArnLike', arn('ArnLike', '*'), {}, false],
  ['ArnNotLike', arn('ArnNotLike', 'arn:aws:iam::2:*'), {}, true],
  ['IfExists', text('StringEqualsIfExists', 'a'), {}, true],
  ['IfExists, negated', text('StringNotEqualsIfExists', 'a'), {}, true],
  ['IfExists, and it does not match', text('StringEqualsIfExists', 'a'), prefix('b'), false],
  ['Null true', text('Null', 'true'), {}, true],
  ['Null false', text('Null', 'false'), {}, false],
  ['Null true, but it is there', text('Null', true), prefix(''), false],
  ['Null false, and it is there', text('Null', 'False'), prefix(''), true],
]

const sets: readonly Row[] = [
  ['all of them', keys('ForAllValues:StringEquals', 'a', 'b'), tagKeys('a', 'b'), true],
  ['all, some of those allowed', keys('ForAllValues:StringEquals', 'a', 'b'), tagKeys('b'), true],
  ['all, one too many', keys('ForAllValues:StringEquals', 'a', 'b'), tagKeys('a', 'c'), false],
  ['all of none', keys('ForAllValues:StringEquals', 'a'), {}, true],
  ['all of an empty set', keys('ForAllValues:StringEquals', 'a'), tagKeys(), true],
  ['all, negated: none is listed', keys('ForAllValues:StringNotEquals', 'a', 'b'), tagKeys('c', 'd'), true],
  ['all, negated: one is listed', keys('ForAllValues:StringNotEquals', 'a', 'b'), tagKeys('c', 'a'), false],
  ['all, by pattern', keys('ForAllValues:StringLike', 'x-*'), tagKeys('x-1', 'x-2'), true],
  ['any of them', keys('ForAnyValue:StringEquals', 'a', 'b'), tagKeys('c', 'b'), true],
  ['any, and there is none', keys('ForAnyValue:StringEquals', 'a', 'b'), tagKeys('c', 'd'), false],
  ['any of none', keys('ForAnyValue:StringEquals', 'a'), {}, false],
  ['any of an empty set', keys('ForAnyValue:StringEquals', 'a'), tagKeys(), false],
  ['any, negated: one is not listed', keys('ForAnyValue:StringNotEquals', 'a'), tagKeys('a', 'b'), true],
  ['any, negated: all are listed', keys('ForAnyValue:StringNotEquals', 'a', 'b'), tagKeys('a', 'b'), false],
  ['any, negated, of none', keys('ForAnyValue:StringNotEquals', 'a'), {}, false],
  ['any if there are any', keys('ForAnyValue:StringEqualsIfExists', 'a'), {}, true],
  ['without a word: one is enough', keys('StringEquals', 'a'), tagKeys('a', 'b'), true],
  ['without a word, negated: none may be', keys('StringNotEquals', 'a'), tagKeys('a', 'b'), false],
]

const user: Parsed = { 'aws:username': 'a*b', 's3:prefix': 'home/a*b/x' }
const variables: readonly Row[] = [
  ['a variable', text('StringLike', 'home/${aws:username}/*'), user, true],
  [
    'its value is no pattern',
    text('StringLike', 'home/${aws:username}/*'),
    { ...user, 's3:prefix': 'home/aXb/' },
    false,
  ],
  ['a variable in any case', text('StringEquals', '${AWS:UserName}'), { ...user, 's3:prefix': 'a*b' }, true],
  ['a variable that is not there', text('StringLike', '*${aws:userid}*'), user, false],
  ['its other value', text('StringEquals', "${aws:userid, 'nobody'}"), prefix('nobody'), true],
  ['no need for the other value', text('StringEquals', "${aws:username, 'x'}"), { ...user, 's3:prefix': 'a*b' }, true],
  ['a star that is one', text('StringLike', 'a${*}'), prefix('a*'), true],
  ['a star that is one, and no other', text('StringLike', 'a${*}'), prefix('ab'), false],
  ['a dollar', text('StringEquals', '${$}{x}'), prefix('${x}'), true],
  ['in an ARN', arn('ArnLike', 'arn:aws:iam::1:user/${s3:prefix}'), { ...who(alice), ...prefix('alice') }, true],
]

describe('conditions', () => {
  it.each(strings)('of text: %s', (_, condition, parsed, expected) => expect(holds(condition, parsed)).toBe(expected))
  it.each(others)('of values: %s', (_, condition, parsed, expected) => expect(holds(condition, parsed)).toBe(expected))
  it.each(absent)('of keys that are absent: %s', (_, condition, parsed, expected) => {
    expect(holds(condition, parsed)).toBe(expected)
  })
  it.each(sets)('of sets: %s', (_, condition, parsed, expected) => expect(holds(condition, parsed)).toBe(expected))
  it.each(variables)('with variables: %s', (_, condition, parsed, expected) => {
    expect(holds(condition, parsed)).toBe(expected)
  })

  it('must hold all together', () => {
    const both = { StringEquals: { 's3:prefix': 'a' }, NumericLessThan: { 's3:max-keys': '10' } }
    expect(holds(both, { ...prefix('a'), ...max('5') })).toBe(true)
    expect(holds(both, { ...prefix('a'), ...max('50') })).toBe(false)
    const twoKeys = { StringEquals: { 's3:prefix': 'a', 's3:delimiter': '/' } }
    expect(holds(twoKeys, { ...prefix('a'), 's3:delimiter': '/' })).toBe(true)
    expect(holds(twoKeys, prefix('a'))).toBe(false)
    expect(holds({}, {})).toBe(true)
  })

  it('had no variables before 2012', () => {
    expect(holds(text('StringEquals', '${aws:username}'), user, '2008-10-17')).toBe(false)
    expect(holds(text('StringEquals', '${aws:username}'), prefix('${aws:username}'), '2008-10-17')).toBe(true)
  })
})
