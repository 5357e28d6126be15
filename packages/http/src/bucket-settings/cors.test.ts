import { describe, expect, it } from 'vitest'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText } from '../contract/answer-text.fixture.ts'
import type { Answer } from '../contract/answer.ts'
import { cors } from './cors.ts'

const context = objectContext()
const read = (text: string) => cors.read(Buffer.from(`<CORSConfiguration>${text}</CORSConfiguration>`), context)
const least = '<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>'

describe('rules for other origins, as a document', () => {
  it('are read, in any order, and given back', () => {
    const rules = read(
      `<CORSRule><MaxAgeSeconds>-3000</MaxAgeSeconds><ExposeHeader>ETag</ExposeHeader><AllowedOrigin>http://a</AllowedOrigin>
      <AllowedHeader>x-AMZ-*</AllowedHeader><AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>
      <AllowedOrigin/><ID>one</ID></CORSRule>${least}`,
    )
    expect(rules).toEqual([
      {
        id: 'one',
        allowedOrigins: ['http://a', ''],
        allowedMethods: ['GET', 'PUT'],
        allowedHeaders: ['x-AMZ-*'],
        exposeHeaders: ['ETag'],
        maxAgeSeconds: -3000,
      },
      { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposeHeaders: [] },
    ])
    expect(answerText(cors.write(rules as never, context) as Answer)).toBe(
      '<CORSConfiguration><CORSRule><ID>one</ID><AllowedHeader>x-AMZ-*</AllowedHeader><AllowedMethod>GET</AllowedMethod>' +
        '<AllowedMethod>PUT</AllowedMethod><AllowedOrigin>http://a</AllowedOrigin><AllowedOrigin></AllowedOrigin>' +
        `<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>-3000</MaxAgeSeconds></CORSRule>${least}</CORSConfiguration>`,
    )
  })

  it('are 1 to 100', () => {
    expect(read(least.repeat(100))).toHaveLength(100)
    for (const count of [0, 101]) {
      expect(() => read(least.repeat(count))).toThrow(expect.objectContaining({ code: 'MalformedXML' }))
    }
  })

  it.each([
    '<CORSRule/>',
    '<CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule>',
    '<CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule>',
    least.replace('</CORSRule>', '<MaxAgeSeconds>1.5</MaxAgeSeconds></CORSRule>'),
    least.replace('</CORSRule>', `<ID>${'i'.repeat(256)}</ID></CORSRule>`),
    least.replace('</CORSRule>', '<Other/></CORSRule>'),
  ])('are refused as %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'MalformedXML' }))
  })

  it('are missed by name', () => {
    expect(() => cors.absent(context)).toThrow(
      expect.objectContaining({ code: 'NoSuchCORSConfiguration', details: { BucketName: 'b' } }),
    )
  })
})
