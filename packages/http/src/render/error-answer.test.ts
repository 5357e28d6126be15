import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { S3Error } from '../errors/errors.ts'
import { errorAnswer, lateError } from './error-answer.ts'

const place = { resource: '/bucket/a&b', requestId: 'ID' }

describe('errors', () => {
  it('are a document with code, message, details, resource and request id', () => {
    const error = new StorageError('NoSuchKey', 'The specified key does not exist.', { details: { Key: 'a&b' } })
    expect(errorAnswer(error, place)).toEqual({
      status: 404,
      headers: { 'content-type': 'application/xml' },
      body:
        '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code>' +
        '<Message>The specified key does not exist.</Message><Key>a&amp;b</Key>' +
        '<Resource>/bucket/a&amp;b</Resource><RequestId>ID</RequestId><HostId>ID</HostId></Error>',
    })
  })

  it('have a message with the quotation marks it has', () => {
    const error = new S3Error('AccessDenied', `["eq", "$key", 'a'] <&quot;&>`)
    expect(errorAnswer(error, place).body).toContain(`<Message>["eq", "$key", 'a'] &lt;&amp;quot;&amp;&gt;</Message>`)
  })

  it('carry the headers they were given', () => {
    const error = new S3Error('MethodNotAllowed', 'No.', { headers: { allow: 'GET' } })
    expect(errorAnswer(error, place)).toMatchObject({ status: 405, headers: { allow: 'GET' } })
  })

  it('have no type where they have no document', () => {
    const error = new S3Error('NotModified', 'Not Modified', { headers: { etag: '"e"' } })
    expect(errorAnswer(error, place)).toMatchObject({ status: 304, headers: { etag: '"e"' } })
    expect(errorAnswer(error, place).headers).not.toHaveProperty('content-type')
  })

  it('do not reveal internal failures', () => {
    const { status, body } = errorAnswer(new Error('ENOENT /home/someone/secret'), place)
    expect(status).toBe(500)
    expect(body).toContain('<Code>InternalError</Code>')
    expect(body).not.toContain('secret')
  })

  it('come without a declaration when one has gone out', () => {
    expect(lateError(new S3Error('InvalidPart', 'No.'), place)).toMatch(/^<Error><Code>InvalidPart<\/Code>/)
  })
})
