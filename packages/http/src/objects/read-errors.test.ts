import { StorageError } from '@varve/core'
import type { ErrorCode, ErrorDetails } from '@varve/core'
import { describe, expect, it } from 'vitest'
import type { S3Error } from '../errors/errors.ts'
import { objectContext, objectInfo } from './object-context.fixture.ts'
import type { RequestSketch } from './object-context.fixture.ts'
import { explainReadError } from './read-errors.ts'

async function explained(code: ErrorCode, details: ErrorDetails, sketch: RequestSketch = {}): Promise<S3Error> {
  const error = new StorageError(code, 'why', { details })
  return explainReadError(objectContext(sketch))(error).catch((thrown: unknown) => thrown as S3Error)
}

describe('explainReadError', () => {
  it('reports that a delete marker is current', async () => {
    const { code, details, headers } = await explained('NoSuchKey', { Key: 'k', DeleteMarker: true, VersionId: 'v' })
    expect({ code, details, headers }).toEqual({
      code: 'NoSuchKey',
      details: { Key: 'k' },
      headers: { 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'v' },
    })
    expect((await explained('NoSuchKey', { Key: 'k' })).headers).toEqual({})
  })

  it('reports what can be done with a delete marker', async () => {
    const marker = { DeleteMarker: true, VersionId: 'v', LastModified: '2026-02-28T23:59:59.999Z' }
    const { code, details, headers } = await explained('MethodNotAllowed', marker)
    expect({ code, details, headers }).toEqual({
      code: 'MethodNotAllowed',
      details: { Method: 'GET', ResourceType: 'DeleteMarker' },
      headers: {
        'x-amz-delete-marker': 'true',
        'x-amz-version-id': 'v',
        allow: 'DELETE',
        'last-modified': 'Sat, 28 Feb 2026 23:59:59 GMT',
      },
    })
  })

  describe('for 304', () => {
    const details = { ETag: 'abc', LastModified: '2026-02-28T23:59:59.999Z' }
    const validators = { etag: '"abc"', 'last-modified': 'Sat, 28 Feb 2026 23:59:59 GMT' }

    it('keeps what caches keep', async () => {
      const info = objectInfo({ cacheControl: 'max-age=1', expires: 'soon', contentType: 'text/plain' })
      const store = { objects: { head: async () => info } }
      const { headers } = await explained('NotModified', details, { store })
      expect(headers).toEqual({
        ...validators,
        'content-type': 'text/plain',
        'cache-control': 'max-age=1',
        expires: 'soon',
      })
    })

    it('gives only the validators when the object has changed or gone since', async () => {
      const changed = { objects: { head: async () => objectInfo({ etag: 'other', cacheControl: 'x' }) } }
      expect((await explained('NotModified', details, { store: changed })).headers).toEqual(validators)
      const gone = { objects: { head: async () => Promise.reject(new Error('gone')) } }
      expect((await explained('NotModified', details, { store: gone })).headers).toEqual(validators)
    })
  })

  it('names range and size that do not fit', async () => {
    const sketch = { headers: { Range: 'bytes=10-' } }
    const { details, headers } = await explained('InvalidRange', { ActualObjectSize: 10 }, sketch)
    expect(details).toEqual({ ActualObjectSize: '10', RangeRequested: 'bytes=10-' })
    expect(headers).toEqual({ 'content-range': 'bytes */10' })
  })

  it('names the part that is not there', async () => {
    const { details } = await explained('InvalidPartNumber', { ActualPartCount: 2 }, { query: 'partNumber=3' })
    expect(details).toEqual({ ActualPartCount: '2', PartNumberRequested: '3' })
  })

  it('lets everything else pass', async () => {
    const error = new Error('other')
    await expect(explainReadError(objectContext())(error)).rejects.toBe(error)
  })
})
