import { limits, StorageError } from '@varve/core'
import type { CopyOptions, CopyResult, CopySource, ObjectInfo, VersioningStatus } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext, objectInfo } from '../objects/object-context.fixture.ts'
import type { RequestSketch } from '../objects/object-context.fixture.ts'
import { copyObject } from './copy-object.ts'

const made: CopyResult = {
  seq: 2,
  lastModified: new Date('2026-01-02T03:04:05.006Z'),
  versionId: 'null',
  etag: 'abc',
  size: 10,
  sourceVersionId: 'null',
}

interface Scene {
  readonly source?: Partial<ObjectInfo> | StorageError
  readonly result?: CopyResult
  readonly versioning?: Readonly<Record<string, VersioningStatus>>
}

function request(more: RequestSketch, { source = {}, result = made, versioning = {} }: Scene = {}) {
  const requested: { source: CopySource; options: CopyOptions }[] = []
  const objects = {
    head: async () => {
      if (source instanceof StorageError) throw source
      return objectInfo(source)
    },
    copy: async (from: CopySource, _bucket: string, _key: string, options: CopyOptions) => {
      requested.push({ source: from, options })
      return result
    },
  }
  const buckets = { getVersioning: async (bucket: string) => versioning[bucket] }
  return { requested, context: objectContext({ ...more, store: { objects, buckets } }) }
}

describe('CopyObject', () => {
  it('copies what was authorised, and answers with the result', async () => {
    const { requested, context } = request({
      headers: { 'x-amz-copy-source-if-match': '"abc"', 'x-amz-meta-a': 'ignored' },
    })
    expect(await copyObject(context)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: expect.stringContaining(
        '<LastModified>2026-01-02T03:04:05.006Z</LastModified><ETag>&quot;abc&quot;</ETag>',
      ),
    })
    expect(requested[0]?.source).toEqual({ bucket: 'sb', key: 'sk', conditions: { ifMatch: ['abc'] } })
    expect(requested[0]?.options).not.toHaveProperty('metadata')
  })

  it('replaces metadata on request', async () => {
    const { requested, context } = request({ headers: { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-a': 'b' } })
    await copyObject(context)
    expect(requested[0]?.options).toMatchObject({ metadataDirective: 'REPLACE', metadata: { a: 'b' } })
  })

  it('takes a website redirect from the request, whether it copies metadata or not', async () => {
    const headers = { 'x-amz-website-redirect-location': '/there', 'x-amz-meta-a': 'ignored' }
    const { requested, context } = request({ headers })
    await copyObject(context)
    expect(requested[0]?.options).toMatchObject({ websiteRedirectLocation: '/there' })
    expect(requested[0]?.options).not.toHaveProperty('metadata')
  })

  it('copies tags only with permission to read them at the source and set them here', async () => {
    const assume = async () => ({
      versionId: 'null',
      seq: 1,
      owner: { id: 'o', name: 'o' },
      tags: [{ key: 'a', value: '1' }],
    })
    const questions: unknown[] = []
    const allows: RequestSketch['allows'] = async (permission) => {
      questions.push(permission)
      return permission.action !== 's3:GetObjectTagging'
    }
    const { requested, context } = request({ allows, assume })
    await expect(copyObject(context)).rejects.toMatchObject({ code: 'AccessDenied' })
    expect(requested).toEqual([])
    expect(questions).toEqual([
      { action: 's3:GetObjectTagging', bucket: 'sb', key: 'sk' },
      { action: 's3:PutObjectTagging', bucket: 'b', key: 'k', creates: true },
    ])
    await copyObject(request({ allows, assume, headers: { 'x-amz-tagging-directive': 'REPLACE' } }).context)
    await copyObject(request({ allows }).context)
  })

  it('shows null versions in buckets that have versions, and only there', async () => {
    const target = await copyObject(request({}, { versioning: { b: 'Suspended' } }).context)
    expect(target).toMatchObject({ headers: { 'x-amz-version-id': 'null' } })
    expect(target).not.toHaveProperty('headers.x-amz-copy-source-version-id')
    const source = await copyObject(request({}, { versioning: { sb: 'Enabled' } }).context)
    expect(source).toMatchObject({ headers: { 'x-amz-copy-source-version-id': 'null' } })
    expect(source).not.toHaveProperty('headers.x-amz-version-id')
  })

  it.each([
    [{ 'x-amz-metadata-directive': 'MOVE' }, {}, 'InvalidArgument'],
    [{ 'x-amz-checksum-algorithm': 'CRC16' }, {}, 'InvalidRequest'],
    [{ 'x-amz-checksum-algorithm': 'MD4' }, {}, 'InvalidRequest'],
    [{ 'if-match': '*' }, {}, 'NotImplemented'],
    [{}, { source: { size: limits.uploadSizeMax + 1 } }, 'InvalidRequest'],
    [{}, { source: new StorageError('MethodNotAllowed', 'a marker') }, 'InvalidRequest'],
    [{}, { source: new StorageError('NoSuchKey', 'none', { details: { DeleteMarker: true } }) }, 'NoSuchKey'],
  ] as const)('given %j and %j refuses with %s', async (headers, scene, code) => {
    const { requested, context } = request({ headers: { ...headers } as Record<string, string> }, scene)
    await expect(copyObject(context)).rejects.toMatchObject({ code })
    expect(requested).toEqual([])
  })
})
