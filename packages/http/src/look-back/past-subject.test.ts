import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { bucketOf, fakeStore } from '../fake-store.fixture.ts'
import { runRequest } from '../pipeline/pipeline.ts'
import { serviceWith, signedRequest } from '../signed-request.fixture.ts'

const absent = (name: string) => Promise.reject(new StorageError('NoSuchBucket', `There is no ${name}.`))

describe('a bucket that has an as-of name from an earlier release', () => {
  const heads: string[] = []
  const head = async (name: string) => {
    heads.push(name)
    return name === 'photos--at-5' ? bucketOf('alice') : absent(name)
  }
  const requested: unknown[] = []
  const remove = async (bucket: string, key: string) => {
    requested.push({ bucket, key })
    return { deleteMarker: false }
  }
  const store = fakeStore({ buckets: { head }, objects: { delete: remove } })
  const run = (method: string, url: string) => runRequest(serviceWith({ store }), signedRequest(method, url).request)

  it('is that bucket, also for writes', async () => {
    expect(await run('DELETE', '/photos--at-5/k')).toMatchObject({ status: 204 })
    expect(requested).toEqual([{ bucket: 'photos--at-5', key: 'k' }])
  })

  it('does not change what such names mean elsewhere', async () => {
    await expect(run('DELETE', '/photos--at-6/k')).rejects.toMatchObject({ code: 'MethodNotAllowed' })
    await expect(run('DELETE', '/photos--at-5--at-6/k')).rejects.toMatchObject({ code: 'MethodNotAllowed' })
    expect(requested).toHaveLength(1)
  })
})
