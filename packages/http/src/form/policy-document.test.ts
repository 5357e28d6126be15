import { describe, expect, it } from 'vitest'
import { checkConditions } from './conditions.ts'
import { encoded } from './form.fixture.ts'
import { parsePolicyDocument } from './policy-document.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const expiration = '2026-01-01T12:00:00.000Z'
const raw = (json: string) => Buffer.from(json).toString('base64')
const check = (conditions: unknown, fields: Readonly<Record<string, string>>, now = noon) =>
  checkConditions(parsePolicyDocument(encoded({ expiration, conditions })), new Map(Object.entries(fields)), now)

describe('the policy of a form', () => {
  it.each([
    ['nothing', '', 'Invalid Base64.'],
    ['no base64', 'e30', 'Invalid Base64.'],
    ['no JSON', raw('{'), 'Invalid JSON.'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64'), 'Invalid JSON.'],
    ['a list', encoded([]), 'Invalid JSON.'],
    ['no expiration', encoded({ conditions: [] }), 'Policy missing expiration.'],
    ['an expiration in capitals', encoded({ EXPIRATION: expiration, conditions: [] }), 'Policy missing expiration.'],
    ['another date', encoded({ expiration: '2026-01-01 12:00:00', conditions: [] }), /^Invalid 'expiration' value/],
    ['a day there is not', encoded({ expiration: '2026-13-01T12:00:00Z', conditions: [] }), /^Invalid 'expiration'/],
    ['a number for a date', encoded({ expiration: 1, conditions: [] }), /^Invalid 'expiration' value/],
    ['no conditions', encoded({ expiration }), 'Policy missing conditions.'],
    ['conditions in capitals', encoded({ expiration, CONDITIONS: [] }), 'Policy missing conditions.'],
    ['conditions that are no list', encoded({ expiration, conditions: {} }), /must be a List/],
  ])('is refused with %s', (_, policy, reason) => {
    const message =
      typeof reason === 'string' ? `Invalid Policy: ${reason}` : expect.stringMatching(reason.source.replace('^', ''))
    expect(() => parsePolicyDocument(policy)).toThrow(
      expect.objectContaining({ code: 'InvalidPolicyDocument', message }),
    )
  })

  it.each([
    [{}],
    [{ bucket: 'b', key: 'k' }],
    [{ key: 1 }],
    ['key'],
    [[]],
    [['eq', '$key']],
    [['eq', '$key', 'k', 'k']],
    [['eq', '$key', 1]],
    [['matches', '$key', 'k']],
    [[1, '$key', 'k']],
    [['content-length-range', 0]],
    [['content-length-range', -1, 0]],
    [['content-length-range', '-1', '0']],
    [['content-length-range', 0.5, 1]],
    [['content-length-range', null, 1]],
  ])('is refused with the condition %j', (condition) => {
    expect(() => check([condition], {})).toThrow(expect.objectContaining({ code: 'InvalidPolicyDocument' }))
  })

  it('is good until it expires', () => {
    expect(check([], {})).toEqual({ min: 0, max: Number.POSITIVE_INFINITY })
    expect(() => check([], {}, noon + 1)).toThrow(
      expect.objectContaining({ code: 'AccessDenied', message: 'Invalid according to Policy: Policy expired.' }),
    )
  })

  it.each<[unknown, Readonly<Record<string, string>>]>([
    [{ key: 'k' }, { key: 'k' }],
    [{ KEY: 'k' }, { key: 'k' }],
    [['eq', '$key', 'k'], { key: 'k' }],
    [['StArTs-WiTh', '$KeY', 'k'], { key: 'key' }],
    [['starts-with', '$key', ''], { key: '' }],
    [['starts-with', '$a', ''], {}],
    [['starts-with', '$Content-Type', 'image/'], { 'content-type': 'image/png, image/gif' }],
    [['eq', '$key', 'k'], { key: 'k', policy: '', signature: '', awsaccesskeyid: '', 'x-amz-signature': '' }],
    [['eq', '$key', 'k'], { key: 'k', 'x-ignore-this': '', 'x-amz-checksum-sha256': '' }],
  ])('takes %j for %j', (condition, fields) => {
    expect(check([condition], fields)).toEqual({ min: 0, max: Number.POSITIVE_INFINITY })
  })

  it.each<[unknown, Readonly<Record<string, string>>, string]>([
    [{ acl: 'private' }, { acl: 'public-read' }, 'Policy Condition failed: ["eq", "$acl", "private"]'],
    [['eq', '$a', 'http://b'], { a: 'HTTP://b' }, 'Policy Condition failed: ["eq", "$a", "http://b"]'],
    [['eq', 'a', 'b'], { a: 'b' }, 'Policy Condition failed: ["eq", "a", "b"]'],
    [['eq', '$a', ''], {}, 'Policy Condition failed: ["eq", "$a", ""]'],
    [['starts-with', '$a', 'b'], { a: 'ab' }, 'Policy Condition failed: ["starts-with", "$a", "b"]'],
    [
      ['starts-with', '$Content-Type', 'image/'],
      { 'content-type': 'image/png, text/html' },
      'Policy Condition failed: ["starts-with", "$Content-Type", "image/"]',
    ],
    [['content-length-range', 'test', '10'], {}, 'Policy Condition failed: ["content-length-range", "test", "10"]'],
    [['eq', '$a', 'b'], { a: 'b', c: 'd', e: 'f' }, 'Extra input fields: c, e'],
  ])('refuses by %j what is %j', (condition, fields, reason) => {
    expect(() => check([condition], fields)).toThrow(
      expect.objectContaining({ code: 'AccessDenied', message: `Invalid according to Policy: ${reason}` }),
    )
  })

  it('limits the length of the file, in numbers or in quotes, to the narrowest range', () => {
    expect(
      check(
        [
          ['content-length-range', 5, '10'],
          ['Content-Length-Range', '0', 8],
        ],
        {},
      ),
    ).toEqual({ min: 5, max: 8 })
  })

  it('may escape what JSON may not', () => {
    const policy = raw(`{"expiration":"${expiration}","conditions":[["eq","$key","a\\$b\\\\$c\\vd"]]}`)
    const { conditions } = parsePolicyDocument(policy)
    expect(conditions).toMatchObject([{ value: 'a$b\\$c\vd' }])
  })

  it('may be nested as deep as it likes, and is refused all the same', () => {
    const deep = `${'['.repeat(7000)}${']'.repeat(7000)}`
    for (const text of [
      `{"expiration":${deep},"conditions":[]}`,
      `{"expiration":"${expiration}","conditions":${deep}}`,
    ]) {
      expect(() => parsePolicyDocument(raw(text))).toThrow(expect.objectContaining({ code: 'InvalidPolicyDocument' }))
    }
  })
})
