import { describe, it } from 'vitest'
import type { Event } from '../events/index.ts'
import type { AccessControlList, ObjectOwnership } from '../settings/access-control.ts'
import { alice, bob, given } from './specification.fixture.ts'

const facts = { size: 0, etag: 'd41d8', content: { kind: 'empty' }, metadata: { user: [] } } as const
const bucket: Event = { type: 'BucketCreated', data: { bucket: 'b', owner: alice, region: 'eu' } }
const ownership = (value: ObjectOwnership): Event => ({ type: 'BucketOwnershipSet', data: { bucket: 'b', value } })
const acl: AccessControlList = {
  owner: bob.id,
  grants: [
    { grantee: { id: bob.id }, permission: 'FULL_CONTROL' },
    { grantee: { id: alice.id }, permission: 'FULL_CONTROL' },
  ],
}
const readable: AccessControlList = {
  owner: bob.id,
  grants: [...acl.grants.slice(0, 1), { grantee: { group: 'AllUsers' }, permission: 'READ' }],
}
const put = { bucket: 'b', key: 'k', facts, conditions: {} } as const
const added = (more: object): Event => ({
  type: 'VersionAdded',
  data: { bucket: 'b', key: 'k', nullVersion: true, ...facts, ...more },
})

describe('an object written into the bucket of another account', () => {
  it.each([
    ['is the writer’s where ownership was never set', [], {}, {}],
    ['is the writer’s, list and all', [ownership('ObjectWriter')], { acl }, { acl }],
    ['is the bucket owner’s where that is enforced', [ownership('BucketOwnerEnforced')], {}, { owner: alice }],
    [
      'has no list where ownership is enforced',
      [ownership('BucketOwnerEnforced')],
      { acl: readable },
      { owner: alice },
    ],
    ['is the writer’s unless handed over', [ownership('BucketOwnerPreferred')], {}, {}],
    ['is the writer’s when only shown', [ownership('BucketOwnerPreferred')], { acl: readable }, { acl: readable }],
    ['is the bucket owner’s when handed over', [ownership('BucketOwnerPreferred')], { acl }, { owner: alice }],
  ])('%s', async (_, settings, creation, expected) => {
    await given(bucket, ...settings)
      .when('PutObject', { ...put, facts: { ...facts, ...creation } }, bob)
      .leadsTo([added(expected)])
  })

  it('is one’s own in one’s own bucket, whatever was set', async () => {
    await given(bucket, ownership('BucketOwnerEnforced'))
      .when('PutObject', put, alice)
      .leadsTo([added({})])
  })

  it('has the owner from the start of its upload, whichever account completes it', async () => {
    const start = { bucket: 'b', key: 'k', metadata: { user: [] } }
    await given(bucket, ownership('BucketOwnerEnforced'))
      .when('CreateMultipartUpload', start, bob)
      .leadsTo([{ type: 'UploadStarted', data: { ...start, owner: alice } }])
    const part = { size: 1, etag: '00000000000000000000000000000000', content: { kind: 'empty' } } as const
    const completed = {
      bucket: 'b',
      key: 'k',
      nullVersion: true,
      size: 1,
      metadata: { user: [] },
      partsCount: 1,
      etag: expectedEtag,
      content: { kind: 'parts', upload: 2 },
      upload: 2,
      parts: [[1, 1]],
      unused: [],
    } as const
    await given(
      bucket,
      { type: 'UploadStarted', data: start },
      { type: 'PartAdded', data: { bucket: 'b', key: 'k', upload: 2, partNumber: 1, ...part } },
    )
      .when(
        'CompleteMultipartUpload',
        {
          bucket: 'b',
          key: 'k',
          upload: 2,
          parts: [{ partNumber: 1, etag: part.etag }],
          conditions: {},
          repeatable: false,
        },
        bob,
      )
      .leadsTo([{ type: 'UploadCompleted', data: { ...completed, owner: alice } }])
  })
})

/** MD5 of sixteen zeros, and that it was one part. */
const expectedEtag = '4ae71336e44bf9bf79d2752e234818a5-1'
