import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkTo, parseRoute } from './route.ts'

describe('a link', () => {
  it('leads back to its route, whatever the key', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/\p{Surrogate}/u.test(value))
    fc.assert(
      fc.property(text, text, (bucket, key) => {
        const url = new URL(linkTo(['browse', bucket], { key }), 'http://127.0.0.1/-/console/')
        expect(parseRoute(url.hash)).toEqual({ path: ['browse', bucket], query: { key } })
      }),
    )
  })

  it('leaves out empty parameters', () => {
    expect(linkTo(['browse', 'photos'], { prefix: '', key: undefined })).toBe('#/browse/photos')
  })

  it.each(['', '#', '#/'])('%j is the first page', (hash) => {
    expect(parseRoute(hash)).toEqual({ path: [], query: {} })
  })

  it('that a person broke is still a route', () => {
    expect(parseRoute('#/browse/%zz?prefix=%&x')).toEqual({ path: ['browse', '%zz'], query: { prefix: '%', x: '' } })
  })
})
