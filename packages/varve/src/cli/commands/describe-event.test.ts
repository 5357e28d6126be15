import type { EventShapes, EventType, RecordedEvent } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { describeEvent } from './describe-event.ts'

const place = { bucket: 'photos', key: 'a' }
const facts = { size: 12, etag: 'e', content: { kind: 'empty' }, metadata: { user: [] } } as const
const ann = { id: 'ann', name: 'Ann' }

const cases: { readonly [T in EventType]: readonly [data: EventShapes[T], shown: string] } = {
  BucketCreated: [{ bucket: 'photos', owner: ann, region: 'eu' }, 's3://photos  in eu'],
  BucketDeleted: [{ bucket: 'photos' }, 's3://photos'],
  BucketRestored: [{ bucket: 'photos', deleted: 9 }, 's3://photos  deleted by event 9'],
  BucketForked: [{ bucket: 'try', owner: ann, from: 'photos', position: 7 }, 's3://try  of s3://photos at 7'],
  ForkDropped: [{ bucket: 'try' }, 's3://try'],
  ForkCleared: [{ bucket: 'try', dropped: 9 }, 's3://try  dropped by event 9'],
  ForkReleased: [{ fork: 8 }, 'fork 8'],
  VersioningSet: [{ bucket: 'photos', status: 'Suspended' }, 's3://photos  Suspended'],
  BucketAccelerationSet: [{ bucket: 'photos', value: 'Enabled' }, 's3://photos  "Enabled"'],
  BucketAclSet: [{ bucket: 'photos', value: { owner: 'ann', grants: [] } }, 's3://photos  {"owner":"ann","grants":[]}'],
  BucketCorsSet: [{ bucket: 'photos', value: [] }, 's3://photos  []'],
  BucketEncryptionSet: [{ bucket: 'photos', value: { mode: 'AES256' } }, 's3://photos  {"mode":"AES256"}'],
  BucketLifecycleSet: [{ bucket: 'photos', value: { rules: [] } }, 's3://photos  {"rules":[]}'],
  BucketLoggingSet: [
    { bucket: 'photos', value: { targetBucket: 'logs', targetPrefix: '' } },
    's3://photos  {"targetBucket":"logs","targetPrefix":""}',
  ],
  BucketNotificationsSet: [{ bucket: 'photos', value: { targets: [] } }, 's3://photos  {"targets":[]}'],
  BucketObjectLockSet: [{ bucket: 'photos', value: {} }, 's3://photos  {}'],
  BucketOwnershipSet: [{ bucket: 'photos', value: 'ObjectWriter' }, 's3://photos  "ObjectWriter"'],
  BucketPolicySet: [{ bucket: 'photos', value: ' '.repeat(200) }, `s3://photos  "${' '.repeat(119)}…`],
  BucketPublicAccessBlockSet: [
    {
      bucket: 'photos',
      value: { blockPublicAcls: true, ignorePublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: false },
    },
    's3://photos  {"blockPublicAcls":true,"ignorePublicAcls":true,"blockPublicPolicy":true,"restrictPublicBuckets":false}',
  ],
  BucketRequestPaymentSet: [{ bucket: 'photos', value: 'Requester' }, 's3://photos  "Requester"'],
  BucketTagsSet: [{ bucket: 'photos', value: [{ key: 'k', value: 'v' }] }, 's3://photos  [{"key":"k","value":"v"}]'],
  BucketWebsiteSet: [{ bucket: 'photos', value: { indexSuffix: 'i' } }, 's3://photos  {"indexSuffix":"i"}'],
  BucketQuotaSet: [{ bucket: 'photos', value: { bytes: 9 } }, 's3://photos  {"bytes":9}'],
  BucketSettingRemoved: [{ bucket: 'photos', kind: 'Policy' }, 's3://photos  Policy'],
  RetentionSet: [
    { bucket: 'photos', retention: { keepMs: 5, budget: { bytes: 9, percent: 10 } } },
    's3://photos  keeps removed bytes for 5 milliseconds, within 9 bytes, within 10 %',
  ],
  IdentityCreated: [{ id: 'a1', name: 'deployer' }, 'user deployer, id a1'],
  IdentityPolicySet: [{ id: 'a1' }, 'id a1: no policy'],
  IdentityQuotaSet: [{ id: 'a1', bytes: 9, buckets: 2 }, 'id a1: at most 9 bytes, at most 2 buckets'],
  IdentityRemoved: [{ id: 'a1' }, 'id a1'],
  AccessKeyAdded: [{ identity: 'a1', accessKeyId: 'AKIA1' }, 'AKIA1 of id a1'],
  AccessKeyRevoked: [{ identity: 'a1', accessKeyId: 'AKIA1' }, 'AKIA1 of id a1'],
  EpochBegun: [
    { epoch: '3f9k2m1x', from: { seq: 40, hash: 'h' }, reason: 'restored', source: 'offsite' },
    '3f9k2m1x after event 40: restored from offsite',
  ],
  BytesHealed: [
    { what: 'inline', blob: 'ab12', brought: 7, fault: 'damaged', from: 's3://backups/shop' },
    'damaged bytes of blob ab12, from s3://backups/shop',
  ],
  ErasureStarted: [{ contents: [{ freedBy: 3, index: 0 }] }, '1 to erase'],
  ErasureRequested: [{ bucket: 'photos', versions: [{ key: 'a', version: 4 }] }, 's3://photos  erasure requested: 1'],
  SnapshotCreated: [
    { name: 'before-import', position: 7, bucket: 'photos' },
    's3://photos  before-import of position 7',
  ],
  TaskStarted: [
    {
      id: 'r1',
      kind: 'restore',
      request: { bucket: 'photos', to: 3 },
      planned: 9,
      keeps: 3,
      total: 500,
      done: 100,
      after: 'k',
    },
    'restore r1: 100 of 500 changes',
  ],
  TaskContinued: [{ id: 'r1', done: 200, after: 'kk' }, 'r1: 200 changes'],
  TaskEnded: [{ id: 'r1', outcome: 'failed', code: 'RestoreConflict' }, 'r1: failed RestoreConflict'],
  SnapshotDeleted: [{ name: 'before-import' }, 'before-import'],
  PinsSettled: [{ pinned: [{ freedBy: 3, index: 0 }], released: [] }, '1 pinned, 0 released'],
  ObjectTagsSet: [
    { ...place, version: 4, value: [{ key: 'k', value: 'v' }] },
    's3://photos/a  version of event 4: [{"key":"k","value":"v"}]',
  ],
  ObjectAclSet: [
    { ...place, version: 4, value: { owner: 'ann', grants: [] } },
    's3://photos/a  version of event 4: {"owner":"ann","grants":[]}',
  ],
  ObjectRetentionSet: [{ ...place, version: 4 }, 's3://photos/a  version of event 4: removed'],
  ObjectLegalHoldSet: [{ ...place, version: 4, value: 'ON' }, 's3://photos/a  version of event 4: "ON"'],
  VersionAdded: [
    { ...place, ...facts, nullVersion: true, copiedFrom: { bucket: 'music', key: 'b', version: 3 } },
    's3://photos/a  version null, 12 bytes, copied from s3://music/b of event 3',
  ],
  DeleteMarkerAdded: [{ ...place, nullVersion: true }, 's3://photos/a  version null'],
  VersionRemoved: [{ ...place, version: 4, deleteMarker: true }, 's3://photos/a  marker of event 4'],
  VersionRestored: [
    { ...place, version: 4, deleteMarker: false, removed: 5, cause: { kind: 'undo', id: 'u', to: 5 } },
    's3://photos/a  version of event 4  undone up to position 5',
  ],
  UploadStarted: [
    { ...place, metadata: { user: [] }, encryption: { mode: 'SSE-C', proof: 'secret' } },
    's3://photos/a  encrypted (SSE-C)',
  ],
  PartAdded: [
    { ...place, upload: 5, partNumber: 2, size: 9, etag: 'e', content: { kind: 'empty' } },
    's3://photos/a  upload of event 5, part 2, 9 bytes',
  ],
  UploadCompleted: [
    {
      ...place,
      ...facts,
      nullVersion: true,
      upload: 5,
      parts: [[1, 1]],
      unused: [],
      encryption: { mode: 'aws:kms', keyName: 'payroll' },
    },
    's3://photos/a  version null, 12 bytes, upload of event 5, encrypted (aws:kms with payroll)',
  ],
  UploadAborted: [{ ...place, upload: 5 }, 's3://photos/a  upload of event 5'],
  ContentsErased: [{ erased: [{ freedBy: 4, index: 0, content: { kind: 'empty' } }] }, '1 erased'],
  KeyGenerationAdded: [{ generation: 1, master: 'aa11', wrapped: 'secret' }, 'generation 1 in master key aa11'],
  EventLost: [{ reason: 'dependent', dependsOn: 4 }, 'dependent on event 4'],
  KeyGenerationRewrapped: [{ generation: 1, master: 'bb22', wrapped: 'secret' }, 'generation 1 in master key bb22'],
}

describe('describeEvent', () => {
  it.each(Object.entries(cases))('puts %s in one line', (type, [data, shown]) => {
    const event = { seq: 7, at: 0, by: ann, requestId: 'r', prev: '', type, data } as RecordedEvent
    expect(describeEvent(event)).toBe(`       7  1970-01-01T00:00:00.000Z  ${type.padEnd(17)}  ${shown}  by Ann (ann)`)
  })

  it('escapes whatever a client may have named', () => {
    const by = { id: 'x', name: 'A\u001b[2J' }
    const data = { bucket: 'photos', owner: by, region: 'e\nu' }
    const event: RecordedEvent = { seq: 1, at: 0, by, requestId: 'r', prev: '', type: 'BucketCreated', data }
    expect(describeEvent(event)).toContain(String.raw`in e\x0au  by A\x1b[2J`)
  })
})
