import { beforeEach, describe, expect, it } from 'vitest'
import type { ReadSet } from '../commands/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Place } from './authorisation.ts'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import type { RequestStore } from '../api/request-store.ts'
import type { TrackedReads } from '../api/tracked-reads.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

const alice = { id: 'alice', name: 'Alice' }
const bob = { id: 'bob', name: 'Bob' }

let ports: ReturnType<typeof memoryPorts>
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.as({ by: alice }).buckets.create('box')
})

/** A caller that may do everything as long as `judge` does not refuse; `judge` reads through the store that it gets. */
async function authorised(judge: (reads: TrackedReads) => Promise<unknown>) {
  const renewed: (Place | undefined)[] = []
  let readSet: ReadSet = []
  const decide = async () => {
    const tracked: ReadSet[number][] = []
    await judge(store.tracking(tracked))
    readSet = tracked
  }
  await decide()
  const renew = (place?: Place) => {
    renewed.push(place)
    return decide()
  }
  return { renewed, as: store.as({ by: bob, authorisation: { readSet: () => readSet, renew } }) }
}

const bucketOf = (owner: { readonly id: string }) => async (reads: TrackedReads) => {
  if ((await reads.buckets.head('box')).owner.id !== owner.id) throw new StorageError('AccessDenied', 'No.')
}

const recreate = async () => {
  await store.buckets.delete('box')
  await store.as({ by: bob }).buckets.create('box')
}

const stalled = (during: () => Promise<unknown>) =>
  (async function* () {
    yield new TextEncoder().encode('the first bytes, ')
    await during()
    yield new TextEncoder().encode('and the last')
  })()

describe('a command of a caller that was authorised', () => {
  it('does not reach the next owner of the name of a bucket', async () => {
    const { as, renewed } = await authorised(bucketOf(alice))
    await expect(as.objects.put('box', 'k', stalled(recreate))).rejects.toMatchObject({ code: 'AccessDenied' })
    expect(renewed).toMatchObject([{ bucket: 'box', key: 'k' }])
    await expect(store.objects.head('box', 'k')).rejects.toMatchObject({ code: 'NoSuchKey' })
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('is submitted again, with the bytes that were written once, where it is still authorised', async () => {
    const { as, renewed } = await authorised((reads) => reads.buckets.head('box'))
    await as.objects.put(
      'box',
      'k',
      stalled(() => store.buckets.setVersioning('box', 'Enabled')),
    )
    expect(renewed).toHaveLength(1)
    expect(await (await store.objects.get('box', 'k')).text()).toBe('the first bytes, and the last')
    expect(ports.blobs.bytes.size).toBe(1)
  })

  it('is given up when what it was authorised on changes every time', async () => {
    const { as } = await authorised(async (reads) => {
      await reads.buckets.head('box')
      await store.buckets.settings.put('box', 'Tags', [{ key: 'n', value: `${store.seq}` }])
    })
    await expect(as.objects.put('box', 'k', 'v')).rejects.toMatchObject({ code: 'ReadSetChanged' })
    await expect(store.objects.head('box', 'k')).rejects.toMatchObject({ code: 'NoSuchKey' })
  })

  it.each([
    ['another version', () => store.objects.put('box', 'k', 'another')],
    ['no version any more', () => store.objects.delete('box', 'k')],
    ['its first annotation', () => store.objects.annotate('box', 'k', { kind: 'legalHold', value: 'OFF' })],
    [
      'another annotation',
      () => store.objects.annotate('box', 'k', { kind: 'tags', value: [{ key: 'a', value: '2' }] }),
    ],
  ])('is authorised again when the object has %s', async (change, make) => {
    await store.objects.put('box', 'k', 'one')
    if (change === 'its first annotation') {
      await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
      await store.objects.put('locked', 'k', 'one')
      make = () => store.objects.annotate('locked', 'k', { kind: 'legalHold', value: 'OFF' })
    } else await store.objects.annotate('box', 'k', { kind: 'tags', value: [{ key: 'a', value: '1' }] })
    const bucket = change === 'its first annotation' ? 'locked' : 'box'
    const { as, renewed } = await authorised((reads) => reads.objects.annotations(bucket, 'k').catch(() => undefined))
    await make()
    await as.objects.put(bucket, 'k', 'mine')
    expect(renewed).toHaveLength(1)
  })

  it('is authorised again when there is an object where there was none', async () => {
    const { as, renewed } = await authorised((reads) => reads.objects.annotations('box', 'k').catch(() => undefined))
    await as.objects.put('box', 'other', 'v')
    expect(renewed).toHaveLength(0)
    await store.objects.put('box', 'k', 'v')
    await as.objects.put('box', 'k', 'mine')
    expect(renewed).toHaveLength(1)
  })

  it('meets what is committed in one group with it', async () => {
    const { as } = await authorised(bucketOf(alice))
    const [, , put] = await Promise.allSettled([
      store.buckets.delete('box'),
      store.as({ by: bob }).buckets.create('box'),
      as.objects.put('box', 'k', 'v'),
    ])
    expect(put).toMatchObject({ status: 'rejected', reason: { code: 'AccessDenied' } })
  })
})

describe('a read of a caller that was authorised', () => {
  it('sees the state it was authorised in, or is authorised again', async () => {
    await store.objects.put('box', 'k', 'public')
    const { as } = await authorised(async (reads) => {
      const { tags } = await reads.objects.annotations('box', 'k')
      if (tags !== undefined) throw new StorageError('AccessDenied', 'No.')
    })
    expect(await (await as.objects.get('box', 'k')).text()).toBe('public')
    await store.objects.put('box', 'k', 'private', { tags: [{ key: 'private', value: 'yes' }] })
    await expect(as.objects.get('box', 'k')).rejects.toMatchObject({ code: 'AccessDenied' })
    await expect(as.objects.head('box', 'k')).rejects.toMatchObject({ code: 'AccessDenied' })
  })

  it.each<[string, (as: RequestStore) => Promise<unknown>]>([
    ['the bucket', (as) => as.buckets.head('box')],
    ['a setting', (as) => as.buckets.settings.get('box', 'Policy')],
    ['objects', (as) => as.objects.listPage('box')],
    ['versions', (as) => as.versions.listPage('box')],
    ['uploads', (as) => as.uploads.listPage('box')],
  ])('of %s does not reach the next owner of the name', async (_what, read) => {
    const { as } = await authorised(bucketOf(alice))
    await read(as)
    await recreate()
    await expect(read(as)).rejects.toMatchObject({ code: 'AccessDenied' })
  })
})
