import { describe, expect, it } from 'vitest'
import type { Event, ObjectFacts } from '../events/index.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import { alice, bob, given } from './specification.fixture.ts'

const bucket = 'box'
const key = 'k'
const created: Event = { type: 'BucketCreated', data: { bucket, owner: alice, region: 'eu' } }
const versioning = (status: VersioningStatus): Event => ({ type: 'VersioningSet', data: { bucket, status } })
const facts = (etag: string): ObjectFacts => ({ size: 0, etag, content: { kind: 'empty' }, metadata: { user: [] } })
const added = (etag: string, more: { nullVersion: boolean; replaces?: number } = { nullVersion: true }): Event => ({
  type: 'VersionAdded',
  data: { bucket, key, ...more, ...facts(etag) },
})
const marker = (more: { nullVersion: boolean; replaces?: number }): Event => ({
  type: 'DeleteMarkerAdded',
  data: { bucket, key, ...more },
})
const put = (conditions = {}) => ({ bucket, key, facts: facts('new'), conditions })

describe('CreateBucket', () => {
  const command = { bucket, region: 'eu' }
  it('creates a bucket for the first requester', () =>
    given()
      .when('CreateBucket', command, bob)
      .leadsTo([{ type: 'BucketCreated', data: { bucket, owner: bob, region: 'eu' } }]))
  it('refuses a taken name with one error for its owner and another for others', async () => {
    await given(created).when('CreateBucket', command, alice).leadsTo('BucketAlreadyOwnedByYou')
    await given(created).when('CreateBucket', command, bob).leadsTo('BucketAlreadyExists')
  })
  it.each(['ab', 'a'.repeat(64), 'Upper', '-a-', 'a..b', '192.168.0.1', 'xn--abc', 'a_b', 'abc-s3alias'])(
    'refuses the name %s',
    (name) => given().when('CreateBucket', { bucket: name, region: 'eu' }).leadsTo('InvalidBucketName'),
  )
})

describe('DeleteBucket', () => {
  it('refuses while a version or a delete marker is left', async () => {
    await given(created, added('a')).when('DeleteBucket', { bucket }).leadsTo('BucketNotEmpty')
    await given(created, versioning('Enabled'), marker({ nullVersion: false }))
      .when('DeleteBucket', { bucket })
      .leadsTo('BucketNotEmpty')
  })
  const started: Event = { type: 'UploadStarted', data: { bucket, key, metadata: { user: [] } } }
  const left: readonly Event[] = [
    created,
    started,
    started,
    { type: 'BucketDeleted', data: { bucket, leavesUploads: true } },
  ]
  it('ends the uploads in progress with it, in one event however many there are', async () => {
    await given(created)
      .when('DeleteBucket', { bucket })
      .leadsTo([{ type: 'BucketDeleted', data: { bucket } }])
    for (const uploads of [[started], Array<Event>(100).fill(started)])
      await given(created, ...uploads)
        .when('DeleteBucket', { bucket })
        .leadsTo([{ type: 'BucketDeleted', data: { bucket, leavesUploads: true } }])
  })
  it('does not count the uploads that an earlier bucket of the name left', () =>
    given(...left, created)
      .when('DeleteBucket', { bucket })
      .leadsTo([{ type: 'BucketDeleted', data: { bucket } }]))
  it('leaves no upload that anybody can use, though the bucket is created again', async () => {
    const place = { bucket, key, upload: 2 }
    const part = { ...place, partNumber: 1, size: 0, etag: 'x', content: { kind: 'empty' } } as const
    const complete = { ...place, parts: [{ partNumber: 1, etag: 'x' }], conditions: {}, repeatable: true } as const
    for (const [events, code] of [
      [left, 'NoSuchBucket'],
      [[...left, created], 'NoSuchUpload'],
    ] as const) {
      await given(...events)
        .when('UploadPart', part, bob)
        .leadsTo(code)
      await given(...events)
        .when('AbortMultipartUpload', place, bob)
        .leadsTo(code)
      await given(...events)
        .when('CompleteMultipartUpload', complete, bob)
        .leadsTo(code)
    }
  })
  it('has its uploads aborted afterwards, each once, and marks the last', async () => {
    const aborted = (upload: number, more = {}): Event => ({
      type: 'UploadAborted',
      data: { bucket, key, upload, ...more },
    })
    const uploads = [
      { key, upload: 2 },
      { key, upload: 3 },
    ]
    const command = { deleted: 4, uploads, last: true }
    const both = [aborted(2), aborted(3, { lastOf: 4 })]
    await given(...left)
      .when('ClearDeletedBucket', command)
      .leadsTo(both)
    await given(...left, created, started)
      .when('ClearDeletedBucket', command)
      .leadsTo(both)
    await given(...left)
      .when('ClearDeletedBucket', { ...command, uploads: uploads.slice(0, 1), last: false })
      .leadsTo([aborted(2)])
    await given(...left, aborted(2))
      .when('ClearDeletedBucket', command)
      .leadsTo([aborted(3, { lastOf: 4 })])
    await given(...left, ...both)
      .when('ClearDeletedBucket', command)
      .leadsTo([])
    await given(created, started).when('ClearDeletedBucket', command).leadsTo([])
  })
  it('refuses a bucket that is not there', () => given().when('DeleteBucket', { bucket }).leadsTo('NoSuchBucket'))
})

describe('PutObject', () => {
  it('replaces the only version where versioning was never set', () =>
    given(created, added('a'))
      .when('PutObject', put())
      .leadsTo([added('new', { nullVersion: true, replaces: 2 })]))
  it('adds a version of its own where versioning is enabled', () =>
    given(created, added('a'), versioning('Enabled'))
      .when('PutObject', put())
      .leadsTo([added('new', { nullVersion: false })]))
  it('replaces the null version where versioning is suspended, be it an object or a marker', async () => {
    const start = [
      created,
      added('a'),
      versioning('Enabled'),
      added('b', { nullVersion: false }),
      versioning('Suspended'),
    ]
    await given(...start)
      .when('PutObject', put())
      .leadsTo([added('new', { nullVersion: true, replaces: 2 })])
    await given(...start, marker({ nullVersion: true, replaces: 2 }))
      .when('PutObject', put())
      .leadsTo([added('new', { nullVersion: true, replaces: 6 })])
  })
  it('finds no null version among versions that all have ids', () =>
    given(created, versioning('Enabled'), added('b', { nullVersion: false }), versioning('Suspended'))
      .when('PutObject', put())
      .leadsTo([added('new', { nullVersion: true })]))
  it('honours If-None-Match and If-Match, a delete marker counting as no object', async () => {
    const marked = [created, versioning('Enabled'), added('a', { nullVersion: false }), marker({ nullVersion: false })]
    await given(created, added('a'))
      .when('PutObject', put({ ifNoneMatch: '*' }))
      .leadsTo('PreconditionFailed')
    await given(...marked)
      .when('PutObject', put({ ifNoneMatch: '*' }))
      .leadsTo([added('new', { nullVersion: false })])
    await given(...marked)
      .when('PutObject', put({ ifMatch: 'a' }))
      .leadsTo('NoSuchKey')
    await given(created, added('a'))
      .when('PutObject', put({ ifMatch: 'b' }))
      .leadsTo('PreconditionFailed')
    await given(created)
      .when('PutObject', put({ ifMatch: 'a' }))
      .leadsTo('NoSuchKey')
  })
  it('refuses keys that are empty, too long or not well-formed', async () => {
    await given(created)
      .when('PutObject', { ...put(), key: '' })
      .leadsTo('InvalidArgument')
    await given(created)
      .when('PutObject', { ...put(), key: 'é'.repeat(513) })
      .leadsTo('KeyTooLongError')
    await given(created)
      .when('PutObject', { ...put(), key: '\ud800' })
      .leadsTo('InvalidArgument')
  })
})

describe('DeleteObject', () => {
  it('erases where versioning was never set, and finds nothing to do for a key that is not there', async () => {
    const removed: Event = { type: 'VersionRemoved', data: { bucket, key, version: 2, deleteMarker: false } }
    await given(created, added('a')).when('DeleteObject', { bucket, key }).leadsTo([removed])
    await given(created).when('DeleteObject', { bucket, key }).leadsTo([])
  })
  it('adds a marker where versioning is enabled, also for a key that never was', () =>
    given(created, versioning('Enabled'))
      .when('DeleteObject', { bucket, key })
      .leadsTo([marker({ nullVersion: false })]))
  it('never touches the null version where versioning is enabled', () =>
    given(created, added('a'), versioning('Enabled'))
      .when('DeleteObject', { bucket, key })
      .leadsTo([marker({ nullVersion: false })]))
  it('removes the null version and adds a null marker where versioning is suspended', () =>
    given(created, added('a'), versioning('Suspended'))
      .when('DeleteObject', { bucket, key })
      .leadsTo([marker({ nullVersion: true, replaces: 2 })]))
  it('removes nothing where versioning is suspended and every version has an id of its own', () =>
    given(created, versioning('Enabled'), added('a', { nullVersion: false }), versioning('Suspended'))
      .when('DeleteObject', { bucket, key })
      .leadsTo([marker({ nullVersion: true })]))
})

describe('DeleteObjectVersion', () => {
  const start = [created, versioning('Enabled'), added('a', { nullVersion: false }), added('b', { nullVersion: false })]
  const remove = (seq: number | null) => ({ bucket, key, version: seq === null ? null : { seq, epoch: undefined } })
  it('promotes the next older version when the newest goes', async () => {
    const removed = { bucket, key, deleteMarker: false }
    await given(...start)
      .when('DeleteObjectVersion', remove(4))
      .leadsTo([{ type: 'VersionRemoved', data: { ...removed, version: 4, promotes: 3 } }])
    await given(...start)
      .when('DeleteObjectVersion', remove(3))
      .leadsTo([{ type: 'VersionRemoved', data: { ...removed, version: 3 } }])
  })
  it('has nothing to do for a version that is not there', () =>
    given(...start)
      .when('DeleteObjectVersion', remove(99))
      .leadsTo([]))
  it('refuses an id of its own where versioning was never set', () =>
    given(created, added('a')).when('DeleteObjectVersion', remove(2)).leadsTo('InvalidArgument'))
  it('addresses the null version as null only', async () => {
    await given(created, added('a'), versioning('Enabled')).when('DeleteObjectVersion', remove(2)).leadsTo([])
    await given(created, added('a'), versioning('Enabled'))
      .when('DeleteObjectVersion', remove(null))
      .leadsTo([{ type: 'VersionRemoved', data: { bucket, key, version: 2, deleteMarker: false } }])
  })
})

describe('CompleteMultipartUpload', () => {
  const md5 = '0'.repeat(32)
  const started: Event = { type: 'UploadStarted', data: { bucket, key, metadata: { user: [] } } }
  const part = (partNumber: number, size: number): Event => ({
    type: 'PartAdded',
    data: { bucket, key, upload: 2, partNumber, size, etag: md5, content: { kind: 'empty' } },
  })
  const complete = (numbers: readonly number[], conditions = {}) => ({
    bucket,
    key,
    upload: 2,
    parts: numbers.map((partNumber) => ({ partNumber, etag: md5 })),
    conditions,
    repeatable: false,
  })
  const enough = 5 * 1024 * 1024

  it('refuses a part other than the last below 5 MiB, to the byte', async () => {
    await given(created, started, part(1, enough - 1), part(2, 1))
      .when('CompleteMultipartUpload', complete([1, 2]))
      .leadsTo('EntityTooSmall')
    await given(created, started, part(1, enough), part(2, 1))
      .when('CompleteMultipartUpload', complete([1, 2]))
      .leadsTo([
        {
          type: 'UploadCompleted',
          data: {
            bucket,
            key,
            nullVersion: true,
            size: enough + 1,
            etag: wholeEtag,
            content: { kind: 'parts', upload: 2 },
            metadata: { user: [] },
            partsCount: 2,
            upload: 2,
            parts: [[1, 2]],
            unused: [],
          },
        },
      ])
  })
  it('names the parts that were not chosen, in order', () =>
    given(created, started, ...[5, 1, 4, 2, 3].map((number) => part(number, enough)))
      .when('CompleteMultipartUpload', complete([2, 4]))
      .leadsTo([expect.objectContaining({ data: expect.objectContaining({ unused: [1, 3, 5] }) })]))
  it('refuses an upload of another key or bucket', async () => {
    const elsewhere = { ...complete([1]), key: 'other' }
    await given(created, started, part(1, 1)).when('CompleteMultipartUpload', elsewhere).leadsTo('NoSuchUpload')
  })
  it('conflicts when the key was written while a conditional upload was on', async () => {
    const start = [created, started, part(1, 1), added('a')]
    await given(...start)
      .when('CompleteMultipartUpload', complete([1], { ifNoneMatch: '*' }))
      .leadsTo('PreconditionFailed')
    await given(...start)
      .when('CompleteMultipartUpload', complete([1], { ifMatch: 'a' }))
      .leadsTo('ConditionalRequestConflict')
  })
  it('conflicts when the key was deleted while a conditional upload was on', () =>
    given(
      created,
      added('a'),
      started,
      { type: 'PartAdded', data: { ...(part(1, 1).data as object), upload: 3 } } as Event,
      {
        type: 'VersionRemoved',
        data: { bucket, key, version: 2, deleteMarker: false },
      },
    )
      .when('CompleteMultipartUpload', { ...complete([1], { ifNoneMatch: '*' }), upload: 3 })
      .leadsTo('ConditionalRequestConflict'))
  it('conflicts too when it was written again before it was deleted', () =>
    given(
      created,
      added('a'),
      started,
      { type: 'PartAdded', data: { ...(part(1, 1).data as object), upload: 3 } } as Event,
      added('b', { nullVersion: true, replaces: 2 }),
      { type: 'VersionRemoved', data: { bucket, key, version: 5, deleteMarker: false } },
    )
      .when('CompleteMultipartUpload', { ...complete([1], { ifNoneMatch: '*' }), upload: 3 })
      .leadsTo('ConditionalRequestConflict'))
  it('conflicts too when a newer version had gone before the upload began', () =>
    given(
      created,
      versioning('Enabled'),
      added('a', { nullVersion: false }),
      added('b', { nullVersion: false }),
      { type: 'VersionRemoved', data: { bucket, key, version: 4, deleteMarker: false, promotes: 3 } },
      started,
      { type: 'PartAdded', data: { ...(part(1, 1).data as object), upload: 6 } } as Event,
      { type: 'VersionRemoved', data: { bucket, key, version: 3, deleteMarker: false } },
    )
      .when('CompleteMultipartUpload', { ...complete([1], { ifNoneMatch: '*' }), upload: 6 })
      .leadsTo('ConditionalRequestConflict'))
  it('refuses a whole of more than 5 TiB, to the byte', async () => {
    const [most, parts] = [5 * 1024 ** 3, 1024]
    const numbers = Array.from({ length: parts }, (_, i) => i + 1)
    const full = [created, started, ...numbers.map((number) => part(number, most))]
    const command = complete([...numbers, parts + 1])
    await given(...full, part(parts + 1, 1))
      .when('CompleteMultipartUpload', command)
      .leadsTo('EntityTooLarge')
    await given(...full, part(parts + 1, 0))
      .when('CompleteMultipartUpload', { ...command, size: 0 })
      .leadsTo('InvalidRequest')
  })
  it('has no answer for a bucket that is gone, not even the one it gave before', () =>
    given(
      created,
      started,
      part(1, 1),
      {
        type: 'UploadCompleted',
        data: { ...facts('whole'), bucket, key, nullVersion: true, upload: 2, parts: [[1, 1]], unused: [] },
      },
      { type: 'VersionRemoved', data: { bucket, key, version: 4, deleteMarker: false } },
      { type: 'BucketDeleted', data: { bucket } },
    )
      .when('CompleteMultipartUpload', { ...complete([1]), repeatable: true })
      .leadsTo('NoSuchBucket'))
  it('takes no part into a bucket that is gone', () =>
    given(
      created,
      started,
      { type: 'UploadAborted', data: { bucket, key, upload: 2 } },
      { type: 'BucketDeleted', data: { bucket } },
    )
      .when('UploadPart', { bucket, key, upload: 2, partNumber: 1, size: 0, etag: md5, content: { kind: 'empty' } })
      .leadsTo('NoSuchBucket'))
  it('repeats its answer only for the same parts, and only while its version exists', async () => {
    const completed: Event = {
      type: 'UploadCompleted',
      data: { ...facts('whole'), bucket, key, nullVersion: true, upload: 2, parts: [[1, 2]], unused: [] },
    }
    const again = (...numbers: number[]) => ({ ...complete(numbers), repeatable: true })
    const done = given(created, started, part(1, 1), part(2, 1), completed)
    await done.when('CompleteMultipartUpload', again(1, 2)).leadsTo([])
    await done.when('CompleteMultipartUpload', again(1, 1)).leadsTo('NoSuchUpload')
    await done.when('CompleteMultipartUpload', again(2, 1)).leadsTo('NoSuchUpload')
    // Before and after the sweep alike: what a rule answers does not hang on when bytes are erased.
    await given(created, started, part(1, 1), completed, {
      type: 'VersionRemoved',
      data: { bucket, key, version: 4, deleteMarker: false },
    })
      .when('CompleteMultipartUpload', again(1))
      .leadsTo('NoSuchUpload')
  })

  /** MD5 of two binary MD5s of zeros. */
  const wholeEtag = '70bc8f4b72a86921468bf8e8441dce51-2'
})

describe('AnnotateObject', () => {
  const locked: Event = { type: 'BucketObjectLockSet', data: { bucket, value: {} } }
  const retained: Event = {
    type: 'ObjectRetentionSet',
    data: { bucket, key, version: 4, value: { mode: 'GOVERNANCE', until: 100 } },
  }
  const version = given(created, versioning('Enabled'), locked, added('a', { nullVersion: false }), retained)
  const change = { bucket, key, annotation: { kind: 'retention' } } as const

  it('keeps a retention that lasts, and lets one go that has ended', async () => {
    await version.when('AnnotateObject', change, alice, 99).leadsTo('AccessDenied')
    await version
      .when('AnnotateObject', change, alice, 100)
      .leadsTo([{ type: 'ObjectRetentionSet', data: { bucket, key, version: 4 } }])
  })
})
