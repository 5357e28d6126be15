import { describe, expect, it } from 'vitest'
import { wireResponse } from './wire-response.ts'

const get = { method: 'GET', requestId: 'ID', now: Date.UTC(2026, 0, 1, 12), guard: undefined }

describe('responses on the wire', () => {
  it('have request ids, a date and a server name', () => {
    expect(wireResponse({ status: 200 }, get).headers).toEqual({
      'x-amz-request-id': 'ID',
      'x-svc-request-id': 'ID',
      'x-request-id': 'ID',
      date: 'Thu, 01 Jan 2026 12:00:00 GMT',
      server: 'Varve',
      'content-length': '0',
    })
  })

  it('spell every vendor header twice', () => {
    const { headers } = wireResponse({ status: 200, headers: { 'x-amz-meta-a': '1', etag: '"e"' } }, get)
    expect(headers).toMatchObject({ 'x-amz-meta-a': '1', 'x-svc-meta-a': '1', etag: '"e"' })
  })

  it('count the bytes of text, not its characters', () => {
    const { headers, body } = wireResponse({ status: 200, body: 'ü' }, get)
    expect(headers['content-length']).toBe('2')
    expect(body).toEqual(Buffer.from('ü'))
  })

  it('have no body for HEAD, and its length only when it is known', () => {
    const head = { ...get, method: 'HEAD' }
    const known = wireResponse({ status: 200, contentLength: 7 }, head)
    expect(known.headers['content-length']).toBe('7')
    const failed = wireResponse({ status: 404, body: '<Error/>' }, head)
    expect(failed.body).toBeUndefined()
    expect(failed.headers).not.toHaveProperty('content-length')
  })

  it.each([204, 304])('have neither body nor length for %d', (status) => {
    const { headers, body } = wireResponse({ status, body: '<Error/>' }, get)
    expect(body).toBeUndefined()
    expect(headers).not.toHaveProperty('content-length')
  })

  it('have the length of a stream only if its source gives it', async () => {
    async function* bytes() {
      yield new Uint8Array(3)
    }
    expect(wireResponse({ status: 200, body: bytes() }, get).headers).not.toHaveProperty('content-length')
    expect(wireResponse({ status: 200, body: bytes(), contentLength: 3 }, get).headers['content-length']).toBe('3')
  })
})
