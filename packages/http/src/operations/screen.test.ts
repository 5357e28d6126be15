import { describe, expect, it } from 'vitest'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { BuiltRow, UnbuiltRow } from '../contract/operation.ts'
import { screen, type ScreenedRequest, subresources, unbuiltError } from './screen.ts'
import { screenedHeaders } from '../contract/screening.ts'
import { operations } from './table.ts'

function rowOf(name: string): BuiltRow {
  const row = operations.find((candidate) => candidate.name === name)
  if (row?.handler === undefined) throw new Error(`${name} is not built`)
  return row
}

const built = operations.filter((row): row is BuiltRow => row.handler !== undefined)
const builtParameters = new Set(
  built.flatMap(({ params = [], when: { query = [] } }) => [
    ...params,
    ...query.map((wanted) => (typeof wanted === 'string' ? wanted : wanted[0])),
  ]),
)

function verdict(
  name: string,
  {
    query = '',
    headers = [],
    presignedBy,
  }: { query?: string; headers?: string[] } & Pick<ScreenedRequest, 'presignedBy'>,
): string {
  try {
    screen(rowOf(name), { query: parseQuery(query), headers: createRequestHeaders(headers), presignedBy })
    return 'passed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('screening headers', () => {
  it.each(screenedHeaders.map((rule) => [rule.header, rule] as const))(
    'refuses %s, in both spellings',
    (header, rule) => {
      const code = rule.code ?? 'NotImplemented'
      expect(verdict('PutBucketVersioning', { headers: [header, 'something'] })).toBe(code)
      expect(verdict('PutBucketVersioning', { headers: [header.replace('x-amz-', 'x-svc-'), 'something'] })).toBe(code)
    },
  )

  it.each(['if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since', 'content-range', 'trailer'])(
    'refuses %s of HTTP on every write that does not read it, and on no read',
    (header) => {
      for (const row of built) {
        const isIgnored = row.method === 'GET' || row.method === 'HEAD' || row.understands?.includes(header) === true
        expect(verdict(row.name, { headers: [header, 'a'] }), row.name).toBe(isIgnored ? 'passed' : 'NotImplemented')
      }
    },
  )

  it.each([
    ['x-amz-storage-class', 'STANDARD'],
    ['x-amz-bucket-object-lock-enabled', 'false'],
    ['x-amz-object-ownership', 'BucketOwnerEnforced'],
    ['x-amz-tagging-directive', 'COPY'],
  ])('lets %s: %s pass, since that is what is done anyway', (name, value) => {
    expect(verdict('PutObject', { headers: [name, value] })).toBe('passed')
  })

  it.each([
    ['x-amz-object-ownership', 'ObjectWriter'],
    ['x-amz-write-offset-bytes', '3'],
  ])('refuses to store an object with %s: %s', (name, value) => {
    expect(verdict('PutObject', { headers: [name, value] })).toBe('NotImplemented')
  })

  it.each([
    'x-amz-junk',
    'x-svc-junk',
    'x-varve-junk',
    'x-amz-',
    'x-amz-object-lock-foo',
    'x-amz-object-lock-event-hold',
    'x-amz-grant-junk',
    'x-amz-server-side-encryption-junk',
    'x-amz-server-side-encryption-customer-junk',
    'x-amz-copy-source-junk',
    'x-amz-copy-source-if-junk',
    'x-amz-copy-source-server-side-encryption-junk',
    'x-amz-checksum-junk',
    'x-amz-tagging-junk',
    'x-amz-object-annotation-directive',
  ])('refuses %s on every operation, for no name begins like one that is known', (name) => {
    for (const row of operations) {
      if (row.handler !== undefined)
        expect(verdict(row.name, { headers: [name, 'ON'] }), row.name).toBe('NotImplemented')
    }
  })

  it.each([
    'x-amz-meta-anything',
    'x-svc-meta-object-lock-mode',
    'x-amz-user-agent',
    'x-amz-api-version',
    'x-amz-te',
    'x-amz-security-token',
    'x-amzn-trace-id',
    'amz-sdk-invocation-id',
    'amz-sdk-request',
    'x-forwarded-for',
  ])('accepts %s on every operation', (name) => {
    for (const row of operations) {
      if (row.handler !== undefined) expect(verdict(row.name, { headers: [name, 'a'] }), row.name).toBe('passed')
    }
  })

  it('leaves to an operation what it understands', () => {
    const headers = ['x-amz-website-redirect-location', '/elsewhere']
    expect(verdict('PutObject', { headers })).toBe('passed')
    expect(verdict('UploadPart', { headers })).toBe('NotImplemented')
    const encryption = ['x-amz-server-side-encryption-customer-key', 'a2V5']
    expect(verdict('PutObject', { headers: encryption })).toBe('passed')
    expect(verdict('ListParts', { headers: encryption })).toBe('NotImplemented')
  })

  it.each(['x-amz-tagging', 'x-amz-object-lock-mode', 'x-amz-storage-class'])(
    'leaves %s to what makes objects',
    (name) => {
      const headers = [name, 'something']
      for (const row of ['PutObject', 'CopyObject', 'CreateMultipartUpload', 'PostObject']) {
        expect(verdict(row, { headers })).toBe('passed')
      }
      for (const row of ['UploadPart', 'CompleteMultipartUpload', 'GetObject']) {
        expect(verdict(row, { headers })).toBe('NotImplemented')
      }
    },
  )

  it('leaves a bypass of retention to what removes or changes it', () => {
    const headers = ['x-amz-bypass-governance-retention', 'true']
    for (const row of ['DeleteObject', 'DeleteObjects', 'PutObjectRetention']) {
      expect(verdict(row, { headers })).toBe('passed')
    }
    expect(verdict('PutObject', { headers })).toBe('InvalidArgument')
  })
})

describe('screening parameters', () => {
  it('never lets an unknown subresource reach an object', () => {
    for (const name of ['DeleteObject', 'PutObject', 'GetObject', 'HeadObject', 'CreateMultipartUpload']) {
      expect(verdict(name, { query: 'someday' })).toBe('NotImplemented')
      expect(verdict(name, { query: 'someday=' })).toBe('NotImplemented')
    }
  })

  it.each(built.map((row) => [row.name, row] as const))(
    '%s refuses parameters of other operations as errors of the client',
    (name, { method, params = [], when: { query = [] } }) => {
      const own = new Set([...params, ...query.map((wanted) => (typeof wanted === 'string' ? wanted : wanted[0]))])
      const isRead = method === 'GET' || method === 'HEAD'
      for (const parameter of builtParameters) {
        if (own.has(parameter)) continue
        expect(verdict(name, { query: parameter }), parameter).toBe('InvalidArgument')
        const isIgnored = isRead && !subresources.has(parameter)
        expect(verdict(name, { query: `${parameter}=1` }), parameter).toBe(isIgnored ? 'passed' : 'InvalidArgument')
      }
    },
  )

  it.each(built.map((row) => [row.name, row] as const))('%s refuses its own parameters twice', (name, row) => {
    const pairs = (row.when.query ?? []).filter((wanted) => typeof wanted !== 'string')
    const values = new Map(pairs as readonly (readonly [string, string])[])
    const own = (row.when.query ?? []).map((wanted) => (typeof wanted === 'string' ? wanted : wanted[0]))
    for (const parameter of [...own, ...(row.params ?? []), 'x-id']) {
      const value = values.get(parameter) ?? '1'
      for (const query of [`${parameter}=${value}&${parameter}=${value}`, `${parameter}=0&${parameter}=${value}`]) {
        expect(verdict(name, { query }), query).toBe('InvalidArgument')
      }
    }
  })

  it('refuses parameters of operations that are not built, on all others', () => {
    const names = ['abac', 'annotation', 'replication', 'restore', 'select', 'renameObject']
    for (const { name, when } of built) {
      const hasOwn = when.query?.some((wanted) => typeof wanted === 'string') === true
      for (const parameter of names) {
        const code = hasOwn ? 'InvalidArgument' : 'NotImplemented'
        expect(verdict(name, { query: `${parameter}=1` }), `${name} ${parameter}`).toBe(code)
      }
    }
  })

  it('refuses known parameters in another case, on reads too', () => {
    for (const { name } of built) {
      for (const parameter of builtParameters) {
        for (const spelled of [parameter.toLowerCase(), parameter.toUpperCase()]) {
          if (builtParameters.has(spelled)) continue
          for (const query of [spelled, `${spelled}=1`]) {
            expect(verdict(name, { query }), `${name} ${query}`).toBe('NotImplemented')
          }
        }
      }
    }
  })

  it('names parameters that choose two operations', () => {
    const unbuilt = operations.find(({ name }) => name === 'PutBucketReplication') as UnbuiltRow
    const refusal = (query: string) => unbuiltError(unbuilt, parseQuery(query))
    expect(refusal('replication&acl')).toMatchObject({
      code: 'InvalidArgument',
      message: 'Conflicting query string parameters: replication, acl',
    })
    expect(refusal('replication')).toMatchObject({ code: 'NotImplemented' })
    expect(refusal('replication&someday')).toMatchObject({ code: 'NotImplemented' })
  })

  it('passes over other parameters on reads only', () => {
    expect(verdict('GetObject', { query: 'cache=123' })).toBe('passed')
    expect(verdict('PutObject', { query: 'cache=123' })).toBe('NotImplemented')
  })

  it('takes what the operation takes, and the name clients give it', () => {
    expect(verdict('GetObject', { query: 'versionId=null&response-expires=x&x-id=GetObject' })).toBe('passed')
    expect(verdict('DeleteObject', { query: 'versionId=null&x-id=DeleteObject' })).toBe('passed')
  })

  it('takes no version id where none belongs', () => {
    expect(verdict('PutObject', { query: 'versionId=null' })).toBe('InvalidArgument')
  })

  it('lets a presigned URL carry its signature, and no other request', () => {
    const query = 'X-Amz-Signature=0&x-svc-acl=private'
    expect(verdict('PutObject', { query, presignedBy: 'AWS4-HMAC-SHA256' })).toBe('passed')
    expect(verdict('PutObject', { query, presignedBy: undefined })).toBe('NotImplemented')
  })

  it('compares a digest in a presigned URL with the header, which is compared with the body', () => {
    for (const presignedBy of ['AWS', 'AWS4-HMAC-SHA256'] as const) {
      const sent = (md5: string) => ({ query: 'Content-MD5=YQ%3D%3D', headers: ['content-md5', md5], presignedBy })
      expect(verdict('PutObject', sent('YQ=='))).toBe('passed')
      expect(verdict('PutObject', sent('Yg=='))).toBe('InvalidRequest')
      expect(verdict('GetObject', sent('Yg=='))).toBe('passed')
    }
  })

  it.each([
    ['X-Amz-Signature', 'passed', 'passed'],
    ['x-svc-acl', 'passed', 'passed'],
    ['AWSAccessKeyId', 'passed', 'NotImplemented'],
    ['Expires', 'passed', 'NotImplemented'],
    ['Signature', 'passed', 'NotImplemented'],
    ['content-md5', 'InvalidRequest', 'InvalidRequest'],
    ['Content-MD5', 'InvalidRequest', 'InvalidRequest'],
    ['Content-Type', 'passed', 'passed'],
    ['content-type', 'passed', 'passed'],
    ['Cache-Control', 'passed', 'passed'],
    ['Content-Encoding', 'NotImplemented', 'NotImplemented'],
    ['expires', 'NotImplemented', 'NotImplemented'],
    ['signature', 'NotImplemented', 'NotImplemented'],
    ['awsaccesskeyid', 'NotImplemented', 'NotImplemented'],
    ['Content-Range', 'NotImplemented', 'NotImplemented'],
    ['If-None-Match', 'NotImplemented', 'NotImplemented'],
  ])('takes a parameter %s of a write in URLs signed by version 2 %s, by version 4 %s', (name, v2, v4) => {
    for (const operation of ['PutObject', 'DeleteObject', 'PutBucketPolicy']) {
      expect(verdict(operation, { query: `${name}=a`, presignedBy: 'AWS' })).toBe(v2)
      expect(verdict(operation, { query: `${name}=a`, presignedBy: 'AWS4-HMAC-SHA256' })).toBe(v4)
    }
  })
})
