import { StorageError } from '@varve/core'
import type { Store } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { bucketOf, fakeStore } from '../fake-store.fixture.ts'
import type { FakeStore } from '../fake-store.fixture.ts'
import { runRequest } from './pipeline.ts'
import { alice, bob, reader, serviceWith, signedRequest } from '../signed-request.fixture.ts'
import type { RequestFixture } from '../signed-request.fixture.ts'

const aliceOwns = { head: async () => bucketOf('alice') }
const withoutOwner = {
  head: async (): Promise<never> => {
    throw new StorageError('NoSuchBucket', 'gone')
  },
}

async function run(method: string, url: string, store: FakeStore = {}, fixture: RequestFixture = {}) {
  const { request, taken } = signedRequest(method, url, fixture)
  const outcome = await runRequest(serviceWith({ store: fakeStore(store) }), request).then(
    (result) => ({ result }),
    (error: Error & { code?: string }) => ({ code: error.code ?? error.message }),
  )
  return { ...outcome, taken: taken(), trace: request.trace }
}

describe('the pipeline', () => {
  it('refuses requests without credentials, and touches no store for them', async () => {
    const { request } = signedRequest('GET', '/')
    const anonymous = { ...request, rawHeaders: ['host', 'localhost'] }
    await expect(runRequest(serviceWith({ store: fakeStore() }), anonymous)).rejects.toMatchObject({
      code: 'AccessDenied',
    })
  })

  it('refuses unknown methods, with or without credentials', async () => {
    const { request } = signedRequest('PATCH', '/bucket')
    const anonymous = { ...request, rawHeaders: ['host', 'localhost'] }
    await expect(runRequest(serviceWith({ store: fakeStore() }), anonymous)).rejects.toMatchObject({
      code: 'MethodNotAllowed',
    })
  })

  it('needs a Host, once', async () => {
    const { request } = signedRequest('GET', '/')
    const service = serviceWith({ store: fakeStore() })
    for (const extra of [[], ['Host', 'a', 'host', 'b']]) {
      await expect(runRequest(service, { ...request, rawHeaders: extra })).rejects.toMatchObject({
        code: 'InvalidRequest',
      })
    }
  })

  it('treats a POST to a bucket as a form, which holds its own credentials', async () => {
    const { request } = signedRequest('POST', '/bucket')
    const form = ['host', 'h', 'content-type', 'multipart/form-data; boundary=b']
    const refusalOf = (rawUrl: string, rawHeaders: readonly string[]) =>
      expect(runRequest(serviceWith({ store: fakeStore({ buckets: aliceOwns }) }), { ...request, rawUrl, rawHeaders }))
        .rejects
    await refusalOf('/bucket', form).toMatchObject({ code: 'MissingContentLength' })
    await refusalOf('/bucket', ['host', 'h']).toMatchObject({ code: 'PreconditionFailed' })
    await refusalOf('/bucket/key', form).toMatchObject({ code: 'MethodNotAllowed' })
    await refusalOf('/bucket?delete', form).toMatchObject({ code: 'AccessDenied' })
    await refusalOf('/', form).toMatchObject({ code: 'MethodNotAllowed' })
  })

  it('answers NotImplemented only to authenticated requests', async () => {
    const { request } = signedRequest('GET', '/bucket?abac')
    const service = serviceWith({ store: fakeStore() })
    await expect(runRequest(service, { ...request, rawHeaders: ['host', 'h'] })).rejects.toMatchObject({
      code: 'AccessDenied',
    })
    await expect(runRequest(service, request)).rejects.toMatchObject({ code: 'NotImplemented' })
    expect(request.trace).toMatchObject({ operation: 'GetBucketAbac', identity: 'alice' })
  })

  it('acts for the signer, under the id of the request', async () => {
    const contexts: unknown[] = []
    const store = { buckets: aliceOwns, onAs: (context: unknown) => contexts.push(context) }
    await run('HEAD', '/bucket', store)
    const acting = { by: { id: 'alice', name: 'alice' }, requestId: 'REQUEST' }
    expect(contexts).toMatchObject([
      { ...acting, authorisation: expect.objectContaining({ allows: expect.any(Function) }) },
    ])
  })

  it('reports a missing bucket to any authenticated request', async () => {
    expect(await run('GET', '/bucket', { buckets: withoutOwner }, { by: bob })).toMatchObject({ code: 'NoSuchBucket' })
  })

  it('denies the bucket of someone else', async () => {
    expect(await run('GET', '/bucket', { buckets: aliceOwns }, { by: bob })).toMatchObject({ code: 'AccessDenied' })
  })

  it('denies before it looks at what the request would mean, and before the body', async () => {
    const headers = [['x-amz-write-offset-bytes', '5']] as const
    const body = 'abc'
    const denied = await run('PUT', '/bucket/key', { buckets: aliceOwns }, { by: bob, headers, body })
    expect(denied).toMatchObject({ code: 'AccessDenied', taken: false })
    const screened = await run('PUT', '/bucket/key', { buckets: aliceOwns }, { headers, body })
    expect(screened).toMatchObject({ code: 'NotImplemented', taken: false })
  })

  it('refuses a body by its headers before it is taken', async () => {
    const headers = [['content-md5', 'nonsense']] as const
    const refused = await run('PUT', '/bucket/key', { buckets: aliceOwns }, { headers, body: 'abc' })
    expect(refused).toMatchObject({ code: 'InvalidDigest', taken: false })
  })

  it('refuses invalid names before it looks them up', async () => {
    expect(await run('GET', '/Bad_Bucket')).toMatchObject({ code: 'InvalidBucketName' })
    expect(await run('GET', `/bucket/${'k'.repeat(1025)}`)).toMatchObject({ code: 'KeyTooLongError' })
    const versions = await run('GET', '/bucket/key?versionId=')
    expect(versions).toMatchObject({ code: 'InvalidArgument' })
  })

  it('finds the bucket in the Host header, and leaves it out of the origin', async () => {
    const requested: unknown[] = []
    const complete: Store['uploads']['complete'] = async (upload) => {
      requested.push(upload)
      return { etag: 'e', size: 1, seq: 1, versionId: 'null', lastModified: new Date(0) }
    }
    const part = '<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>'
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`
    const store = { buckets: aliceOwns, uploads: { complete } }
    const { result } = (await run('POST', '/dir/key?uploadId=u', store, { body, host: 'bucket.localhost:9000' })) as {
      result: { slow: Promise<{ body: string }> }
    }
    expect((await result.slow).body).toContain('<Location>http://localhost:9000/bucket/dir/key</Location>')
    expect(requested).toEqual([{ bucket: 'bucket', key: 'dir/key', uploadId: 'u' }])
  })

  it('compares the owner a request expects with the one there is', async () => {
    const store = { buckets: aliceOwns }
    const expecting = (owner: string) => ({ headers: [['x-amz-expected-bucket-owner', owner]] as const })
    expect(await run('HEAD', '/bucket', store, expecting('alice'))).toMatchObject({ result: { status: 200 } })
    expect(await run('HEAD', '/bucket', store, expecting('bob'))).toMatchObject({ code: 'AccessDenied' })
  })

  it('authorises the source of a copy as it is then read', async () => {
    const owners: Record<string, string> = { bucket: 'alice', 'bucket-b': 'bob' }
    const heads: string[] = []
    const head = async (name: string) => {
      heads.push(name)
      return bucketOf(owners[name] ?? '')
    }
    const headers = [['x-amz-copy-source', '/bucket-b/a%2Fb%3FversionId=1']] as const
    const requested: unknown[] = []
    const absent = async (bucket: string, key: string): Promise<never> => {
      requested.push({ bucket, key })
      throw new StorageError('NoSuchKey', 'absent')
    }
    const copy: Store['objects']['copy'] = (source) => absent(source.bucket, source.key)
    const annotations = async (): Promise<never> => {
      throw new StorageError('NoSuchKey', 'absent')
    }
    const store = { buckets: { head }, objects: { copy, head: absent, annotations } }
    expect(await run('PUT', '/bucket/key', store, { headers })).toMatchObject({ code: 'AccessDenied' })
    expect(heads).toEqual(['bucket', 'bucket-b'])
    expect(requested).toEqual([])
    owners['bucket-b'] = 'alice'
    expect(await run('PUT', '/bucket/key', store, { headers })).toMatchObject({ code: 'NoSuchKey' })
    expect(requested).toEqual([{ bucket: 'bucket-b', key: 'a/b?versionId=1' }])
  })

  it('hides the absence of a key without permission to list', async () => {
    const get = async (): Promise<never> => {
      throw new StorageError('NoSuchKey', 'absent')
    }
    const store = { buckets: aliceOwns, objects: { get } }
    expect(await run('GET', '/bucket/key', store, { by: alice })).toMatchObject({ code: 'NoSuchKey' })
    expect(await run('GET', '/bucket/key', store, { by: reader })).toMatchObject({ code: 'AccessDenied' })
  })

  it('requires another permission for a version than for the object', async () => {
    const annotations = async () => ({ versionId: 'null', seq: 1, owner: { id: 'alice', name: 'alice' } })
    const store = { buckets: aliceOwns, objects: { annotations } }
    expect(await run('GET', '/bucket/key?versionId=null', store, { by: reader })).toMatchObject({
      code: 'AccessDenied',
    })
  })
})
