import type { RequestStore } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext } from './object-context.fixture.ts'
import { madeVersionHeaders, shownVersionId, versionHeaders } from './shown-version.ts'

const storeWith = (getVersioning: RequestStore['buckets']['getVersioning']): RequestStore =>
  objectContext({ store: { buckets: { getVersioning } } }).store

describe('shownVersionId', () => {
  it.each([
    ['Enabled', 'null'],
    ['Suspended', 'null'],
    [undefined, undefined],
  ] as const)('with versioning %s shows the null version as %s', async (versioning, shown) => {
    expect(
      await shownVersionId(
        storeWith(async () => versioning),
        'b',
        'null',
      ),
    ).toBe(shown)
  })

  it('shows real ids without asking, and nothing for nothing', async () => {
    const store = objectContext().store
    expect(await shownVersionId(store, 'b', 'v')).toBe('v')
    expect(await shownVersionId(store, 'b', undefined)).toBeUndefined()
  })

  it('does not fail what was done when the bucket is gone', async () => {
    const store = storeWith(() => Promise.reject(new Error('gone')))
    expect(await shownVersionId(store, 'b', 'null')).toBeUndefined()
  })
})

describe('version headers', () => {
  it('name new version ids, under the given header name', () => {
    expect(madeVersionHeaders({ versionId: 'v' })).toEqual({ 'x-amz-version-id': 'v' })
    expect(madeVersionHeaders({ versionId: 'null' })).toEqual({})
    expect(versionHeaders('v', 'x')).toEqual({ x: 'v' })
  })
})
