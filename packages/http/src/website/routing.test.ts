import type { WebsiteRoutingRule } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { redirectAll, redirectByRule, routingRule } from './routing.ts'

const address = { secure: false, host: 'site.test:9000' }
const to = (name: string) => ({ replaceKeyWith: name })
const website = {
  indexSuffix: 'index.html',
  routingRules: [
    { condition: { keyPrefixEquals: 'both/', httpErrorCodeReturnedEquals: '404' }, redirect: to('both') },
    { condition: { keyPrefixEquals: 'prefix' }, redirect: to('prefix') },
    { condition: { httpErrorCodeReturnedEquals: '404' }, redirect: to('missing') },
  ],
}
const found = (key: string, error?: number) => routingRule(website, key, error)?.redirect.replaceKeyWith

describe('a routing rule', () => {
  it.each([
    ['prefix-and-more', undefined, 'prefix'],
    ['both/key', undefined, undefined],
    ['both/key', 404, 'both'],
    ['other', undefined, undefined],
    ['other', 404, 'missing'],
    ['other', 403, undefined],
    ['', undefined, undefined],
  ])('for %j after %s is the first that holds', (key, error, rule) => expect(found(key, error)).toBe(rule))

  it('without a condition holds for everything', () => {
    const redirect = to('everything')
    expect(routingRule({ routingRules: [{ redirect }] }, '')).toEqual({ redirect })
  })

  const lead = (rule: WebsiteRoutingRule, key: string) => redirectByRule(rule, key, address)
  it.each<[WebsiteRoutingRule['redirect'], number, string]>([
    [{ hostName: 'other' }, 301, 'http://other/docs/a%20b'],
    [{ protocol: 'https' }, 301, 'https://site.test:9000/docs/a%20b'],
    [{ httpRedirectCode: '307' }, 307, 'http://site.test:9000/docs/a%20b'],
    [{ replaceKeyWith: 'new.html' }, 301, 'http://site.test:9000/new.html'],
    [{ replaceKeyPrefixWith: 'new/' }, 301, 'http://site.test:9000/new/a%20b'],
    [{ replaceKeyPrefixWith: '' }, 301, 'http://site.test:9000/a%20b'],
    [{ replaceKeyPrefixWith: '#!/é ' }, 301, 'http://site.test:9000/#!/%C3%A9%20a%20b'],
    [{ replaceKeyWith: 'a\r\nb\ud800' }, 301, 'http://site.test:9000/a%0D%0Ab%EF%BF%BD'],
  ])('with %j leads on', (redirect, status, location) => {
    const rule = { condition: { keyPrefixEquals: 'docs/' }, redirect }
    expect(lead(rule, 'docs/a b')).toEqual({ status, headers: { location } })
  })

  it('for everything redirects to the same path and query', () => {
    expect(redirectAll({ hostName: 'other' }, '/a%20b?c', { ...address, secure: true })).toEqual({
      status: 301,
      headers: { location: 'https://other/a%20b?c' },
    })
    expect(redirectAll({ hostName: 'other', protocol: 'http' }, '/', { ...address, secure: true }).headers).toEqual({
      location: 'http://other/',
    })
  })
})
