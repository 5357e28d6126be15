import { describe, expect, it } from 'vitest'
import { wireName } from './wire-name.ts'

describe('the name of a header on the wire', () => {
  it.each([
    'Accept-Ranges',
    'Access-Control-Allow-Credentials',
    'Access-Control-Allow-Headers',
    'Access-Control-Allow-Methods',
    'Access-Control-Allow-Origin',
    'Access-Control-Expose-Headers',
    'Access-Control-Max-Age',
    'Allow',
    'Cache-Control',
    'Connection',
    'Content-Disposition',
    'Content-Encoding',
    'Content-Language',
    'Content-Length',
    'Content-Range',
    'Content-Type',
    'Date',
    'ETag',
    'Expires',
    'Last-Modified',
    'Location',
    'Retry-After',
    'Server',
    'Transfer-Encoding',
    'Vary',
    'WWW-Authenticate',
    'x-amz-delete-marker',
    'x-amz-meta-etag',
    'x-amz-request-id',
    'x-amz-version-id',
    'x-request-id',
    'x-svc-version-id',
    'x-varve-receipt',
  ])('is spelled %s, as S3 spells it', (spelling) => {
    for (let time = 0; time < 2; time++) expect(wireName(spelling.toLowerCase())).toBe(spelling)
  })
})
