import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { checkCors } from './check-cors.ts'
import type { CorsRule } from './cors.ts'

const rule: CorsRule = {
  allowedOrigins: ['http://*', ''],
  allowedMethods: ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'],
  allowedHeaders: ['x-amz-*'],
  exposeHeaders: ['ETag', 'x-amz-meta-_1'],
}

describe('rules for other origins', () => {
  it('are accepted when CORS can express them', () => expect(checkCors([rule, rule])).toBeUndefined())

  it.each<[string, Partial<CorsRule>]>([
    ['Found unsupported HTTP method in CORS config. Unsupported method is MYMETHOD', { allowedMethods: ['MYMETHOD'] }],
    ['Found unsupported HTTP method in CORS config. Unsupported method is get', { allowedMethods: ['GET', 'get'] }],
    ['AllowedOrigin "http://*.*" can not have more than one wildcard.', { allowedOrigins: ['http://*.*'] }],
    ['AllowedHeader "**" can not have more than one wildcard.', { allowedHeaders: ['**'] }],
    [
      'ExposeHeader "*" contains wildcard. We currently do not support wildcard for ExposeHeader.',
      { exposeHeaders: ['*'] },
    ],
    ['ExposeHeader "a\r\nset-cookie: b" contains invalid character.', { exposeHeaders: ['a\r\nset-cookie: b'] }],
    ['ExposeHeader "" contains invalid character.', { exposeHeaders: [''] }],
    ['ExposeHeader "X(Custom)" contains invalid character.', { exposeHeaders: ['X(Custom)'] }],
    ['AllowedHeader "invalid header" contains invalid character.', { allowedHeaders: ['invalid header'] }],
    ['AllowedHeader "Bad/Header" contains invalid character.', { allowedHeaders: ['*', 'Bad/Header'] }],
  ])('are refused: %s', (message, wrong) => {
    const check = () => checkCors([rule, { ...rule, ...wrong }])
    expect(check).toThrow(message)
    expect(check).toThrow(expect.toSatisfy((error: unknown) => isStorageError(error, 'InvalidRequest')))
  })
})
