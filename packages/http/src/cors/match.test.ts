import type { CorsRule } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { corsHeaders } from './cors-headers.ts'
import { matchingRule } from './match.ts'
import type { CrossOriginRequest } from './match.ts'

const rule = (more: Partial<CorsRule> = {}): CorsRule => ({
  allowedOrigins: ['*'],
  allowedMethods: ['GET'],
  allowedHeaders: [],
  exposeHeaders: [],
  ...more,
})
const asked = (more: Partial<CrossOriginRequest> = {}): CrossOriginRequest => ({
  origin: 'http://page',
  method: 'GET',
  headers: [],
  ...more,
})
const allows = (given: CorsRule, request: CrossOriginRequest) => matchingRule([given], request) !== undefined

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
  ])('for %s: %s', (pattern, origin, allowed) => {
    expect(allows(rule({ allowedOrigins: ['http://other', pattern] }), asked({ origin }))).toBe(allowed)
  })

  it('is for its methods, as they are spelled', () => {
    expect(allows(rule({ allowedMethods: ['PUT', 'GET'] }), asked())).toBe(true)
    expect(allows(rule(), asked({ method: 'PUT' }))).toBe(false)
    expect(allows(rule(), asked({ method: 'get' }))).toBe(false)
  })

  it('must allow every header, however it is spelled', () => {
    const given = rule({ allowedHeaders: ['x-amz-*', 'Content-Type'] })
    expect(allows(given, asked({ headers: ['x-amz-date', 'content-type'] }))).toBe(true)
    expect(allows(given, asked({ headers: ['x-amz-date', 'range'] }))).toBe(false)
    expect(allows(rule(), asked({ headers: ['range'] }))).toBe(false)
    expect(allows(rule({ allowedHeaders: ['*'] }), asked({ headers: ['range', 'a'] }))).toBe(true)
  })

  it('is the first that fits', () => {
    const rules = [rule({ id: 'put', allowedMethods: ['PUT'] }), rule({ id: 'one' }), rule({ id: 'two' })]
    expect(matchingRule(rules, asked())?.id).toBe('one')
    expect(matchingRule([], asked())).toBeUndefined()
  })
})

describe('what a browser is told', () => {
  const vary = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'

  it('is the least for everybody, and no word of credentials', () => {
    expect(corsHeaders(rule({ allowedOrigins: ['http://a', '*'] }), asked())).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      vary,
    })
  })

  it('is all that a rule has', () => {
    const given = rule({
      allowedOrigins: ['http://*'],
      allowedMethods: ['GET', 'PUT'],
      allowedHeaders: ['*'],
      exposeHeaders: ['etag', 'x-amz-version-id'],
      maxAgeSeconds: 0,
    })
    expect(corsHeaders(given, asked({ headers: ['range', 'if-match'] }))).toEqual({
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
