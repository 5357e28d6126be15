import { describe, expect, it } from 'vitest'
import { redirectAsConfigured, redirectToOrigin, redirectToPath } from './redirect.ts'

const origin = 'http://site.test:9000'
const hostile = [
  '//evil.com/',
  '///evil.com/',
  '/\\evil.com/',
  '\\\\evil.com/',
  '/\t/evil.com/',
  '/\r\n/evil.com/',
  '\t//evil.com/',
  '@evil.com/',
  '.evil.com/',
  ':80@evil.com/',
  'http:evil.com/',
  'javascript:alert(1)',
  'a://evil.com/',
  '',
]

/** The origin that a browser opens. */
const openedBy = (location: string | undefined): string => new URL(location ?? '', `${origin}/folder/page`).origin

describe('a Location', () => {
  it.each(hostile)('built from %j stays on its origin', (path) => {
    const made = [redirectToPath(302, path), redirectToOrigin(301, origin, path), redirectAsConfigured(301, path)]
    for (const { headers } of made) {
      expect(openedBy(headers?.['location'])).toBe(origin)
      expect(headers?.['location']).not.toMatch(/[\r\n]/)
    }
  })

  it.each([
    ['/a%20b/', '/a%20b/'],
    ['/a//b', '/a//b'],
    ['/a?b#c', '/a?b#c'],
    ['//evil.com/', '/%2Fevil.com/'],
    ['/a b', '/a%20b'],
    ['/\u00c3\u00a9', '/\u00c3\u00a9'],
  ])('for the path %j is %j', (path, location) => {
    expect(redirectToPath(302, path)).toEqual({ status: 302, headers: { location } })
  })

  it.each(['http://other.test/x', 'HTTPS://other.test'])('is %s if that is configured', (location) => {
    expect(redirectAsConfigured(301, location).headers).toEqual({ location })
  })
})
