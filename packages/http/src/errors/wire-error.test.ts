import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { isS3Error, S3Error } from './errors.ts'
import { errorTable } from './error-table.ts'
import { toWireError } from './wire-error.ts'

describe('an error on the wire', () => {
  it.each([
    ['NoSuchBucket', 404, 'NoSuchBucket'],
    ['NoSpace', 507, 'InsufficientStorage'],
    ['StoreFailed', 503, 'ServiceUnavailable'],
    ['StoreClosed', 503, 'ServiceUnavailable'],
    ['TooManyOpenFiles', 503, 'SlowDown'],
    ['ReadOnly', 503, 'ServiceUnavailable'],
    ['ReadSetChanged', 503, 'SlowDown'],
    ['BlobCorrupt', 500, 'InternalError'],
    ['BlobMissing', 500, 'InternalError'],
    ['LogCorrupt', 500, 'InternalError'],
    ['RowCorrupt', 500, 'InternalError'],
    ['ObjectErased', 410, 'ObjectErased'],
    ['InternalError', 500, 'InternalError'],
  ] as const)('answers %s with %i %s', (code, status, wireCode) => {
    expect(toWireError(new StorageError(code, 'text'))).toMatchObject({ status, code: wireCode })
  })

  it('keeps the words, details and headers of a refusal by the server', () => {
    const error = new S3Error('MethodNotAllowed', 'Not here.', {
      details: { Method: 'PUT' },
      headers: { allow: 'GET' },
    })
    expect(toWireError(error)).toEqual({
      code: 'MethodNotAllowed',
      status: 405,
      message: 'Not here.',
      details: { Method: 'PUT' },
      headers: { allow: 'GET' },
    })
  })

  it('says which methods are allowed in every 405, as HTTP requires', () => {
    const allow = 'DELETE, GET, HEAD, POST, PUT'
    expect(toWireError(new S3Error('MethodNotAllowed', 'No.')).headers).toEqual({ allow })
    expect(toWireError(new StorageError('MethodNotAllowed', 'No.')).headers).toEqual({ allow })
    const details = { ResourceType: 'DeleteMarker' }
    expect(toWireError(new StorageError('MethodNotAllowed', 'No.', { details })).headers).toEqual({ allow: 'DELETE' })
    for (const code of Object.keys(errorTable) as (keyof typeof errorTable)[]) {
      const { status, headers } = toWireError(new StorageError(code as 'NoSuchKey', 'No.'))
      expect('allow' in headers, code).toBe(status === 405)
    }
  })

  it('writes details of the engine as text', () => {
    const error = new StorageError('EntityTooSmall', 'Too small.', { details: { ProposedSize: 5, MinSizeAllowed: 6 } })
    expect(toWireError(error).details).toEqual({ ProposedSize: '5', MinSizeAllowed: '6' })
  })

  it('always has a message', () => {
    expect(toWireError(new S3Error('AccessDenied', '')).message).toBe('Access Denied')
  })

  it('does not reveal internal failures', () => {
    const inside = new StorageError('BlobCorrupt', '/data/blobs/1 is damaged', { details: { path: '/data/blobs/1' } })
    for (const error of [inside, new Error('/etc/secret'), 'text', undefined, null, { code: 'NoSuchKey' }, 42]) {
      const wire = toWireError(error)
      expect(wire).toEqual({
        code: 'InternalError',
        status: 500,
        message: errorTable.InternalError.message,
        details: {},
        headers: {},
      })
    }
  })

  it('does not trust a code it does not know', () => {
    for (const code of ['toString', '__proto__', 'NewCode']) {
      const stranger = new StorageError(code as 'NoSuchKey', 'text', { details: { A: 1 } })
      expect(toWireError(stranger)).toMatchObject({ code: 'InternalError', status: 500, details: {} })
    }
  })

  it('lets no detail replace its standard elements, or break the document', () => {
    const details = {
      Code: 'x',
      Message: 'x',
      RequestId: 'x',
      'a b': 'x',
      __proto__x: 'x',
      '<': 'x',
      Fine: 'x',
      'X-Amz-Expires': '1',
    }
    expect(toWireError(new S3Error('AccessDenied', 'No.', { details })).details).toEqual({
      Fine: 'x',
      'X-Amz-Expires': '1',
    })
  })
})

describe('a refusal by the server', () => {
  it('is known by its code, not by its class', () => {
    const error: unknown = new S3Error('InvalidURI', 'No.', { cause: 'why' })
    expect(isS3Error(error)).toBe(true)
    expect(isS3Error(error, 'InvalidURI', 'AccessDenied')).toBe(true)
    expect(isS3Error(error, 'AccessDenied')).toBe(false)
    expect(isS3Error(new Error('No.'))).toBe(false)
    expect(error).toMatchObject({ name: 'S3Error', cause: 'why', details: {}, headers: {} })
  })
})
