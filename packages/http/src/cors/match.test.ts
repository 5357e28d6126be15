import type { CorsRule } from '@varve/core'
import { describe, expect, it, vi } from 'vitest'
import { turn } from '../turns/turn.ts'
import { corsHeaders } from './cors-headers.ts'
import { matchingRule, prepareRules } from './match.ts'
import type { CrossOriginRequest } from './match.ts'

const rule = (more: Partial<CorsRule> = {}): CorsRule => ({
  allowedOrigins: ['*'],
  allowedMethods: ['GET'],
  allowedHeaders: [],
  exposeHeaders: [],
  ...more,
})
const requested = (more: Partial<CrossOriginRequest> = {}): CrossOriginRequest => ({
  origin: 'http://page',
  method: 'GET',
  headers: [],
  address: undefined,
  ...more,
})
const allows = async (given: CorsRule, request: CrossOriginRequest) =>
  (await matchingRule(prepareRules([given]), request)) !== undefined

describe('a rule for other origins', () => {
  it.each([
    ['*', 'http://page', true],
    ['http://page', 'http://page', true],
    ['http://page', 'HTTP://page', false],
    ['http://page', 'http://page/', false],
    ['*suffix', 'foo.suffix', true],
    ['*suffix', 'foo.suffix.get', false],
    ['start*end', 'startend', true],
    ['start*end', 'start12end', true],
    ['start*end', '0start12end', false],
    ['a*a', 'a', false],
    ['prefix*', 'prefix', true],
    ['prefix*', 'bla.prefix', false],
    ['http://*.origin.com', 'http://test.origin.com', true],
    ['http://*.origin.com', 'http://test.origin.com/', false],
    ['http://a.b', 'http://a-b', false],
    ['', 'http://page', false],
  ])('for %s: %s', async (pattern, origin, allowed) => {
    expect(await allows(rule({ allowedOrigins: ['http://other', pattern] }), requested({ origin }))).toBe(allowed)
  })

  it('is for its methods, as they are spelled', async () => {
    expect(await allows(rule({ allowedMethods: ['PUT', 'GET'] }), requested())).toBe(true)
    expect(await allows(rule(), requested({ method: 'PUT' }))).toBe(false)
    expect(await allows(rule(), requested({ method: 'get' }))).toBe(false)
  })

  it('must allow every header, however it is spelled', async () => {
    const given = rule({ allowedHeaders: ['x-amz-*', 'Content-Type'] })
    expect(await allows(given, requested({ headers: ['x-amz-date', 'content-type'] }))).toBe(true)
    expect(await allows(given, requested({ headers: ['x-amz-date', 'range'] }))).toBe(false)
    expect(await allows(rule(), requested({ headers: ['range'] }))).toBe(false)
    expect(await allows(rule({ allowedHeaders: ['*'] }), requested({ headers: ['range', 'a'] }))).toBe(true)
  })

  it('is the first that fits', async () => {
    const rules = [rule({ id: 'put', allowedMethods: ['PUT'] }), rule({ id: 'one' }), rule({ id: 'two' })]
    expect((await matchingRule(prepareRules(rules), requested()))?.id).toBe('one')
    expect(await matchingRule([], requested())).toBeUndefined()
  })
})

describe('a rule with many patterns, matched against many headers', () => {
  it('lets others in between', async () => {
    const patterns = Array.from({ length: 2000 }, (_, at) => `x-${at}-*z`)
    const headers = [...patterns.map((pattern) => pattern.replace('*', 'y')), 'other']
    const next = vi.spyOn(turn, 'next')
    expect(await allows(rule({ allowedHeaders: patterns }), requested({ headers }))).toBe(false)
    expect(next.mock.calls.length).toBeGreaterThan(10)
    next.mockClear()
    expect(await allows(rule({ allowedHeaders: headers }), requested({ headers }))).toBe(true)
    expect(next.mock.calls.length).toBeLessThan(2)
    next.mockRestore()
  })
})

describe('the CORS headers of an answer', () => {
  const vary = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'

  it('are minimal for any origin, without credentials', () => {
    expect(corsHeaders(rule({ allowedOrigins: ['http://a', '*'] }), requested())).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      vary,
    })
  })

  it('have all that a rule has', () => {
    const given = rule({
      allowedOrigins: ['http://*'],
      allowedMethods: ['GET', 'PUT'],
      allowedHeaders: ['*'],
      exposeHeaders: ['etag', 'x-amz-version-id'],
      maxAgeSeconds: 0,
    })
    expect(corsHeaders(given, requested({ headers: ['range', 'if-match'] }))).toEqual({
      'access-control-allow-origin': 'http://page',
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'range, if-match',
      'access-control-expose-headers': 'etag, x-amz-version-id',
      'access-control-max-age': '0',
      'access-control-allow-credentials': 'true',
      vary,
    })
  })
})
