/** One event of every type, with every field that it may have, for tests. */
import { everySetting } from '../settings/settings.fixture.ts'
import { type Setting, settingEventType } from '../settings/setting.ts'
import type { ObjectFacts } from './content.ts'
import type { Event, RecordedEvent } from './event.ts'

const inKey = { bucket: 'box', key: 'a/b c' }
const ann = { id: 'a1', name: 'Ann' }
const blob = { id: '0123456789abcdef0123456789abcdef', size: 4096, inline: false, crcs: 'q83vASNFZ4k=' }
const sealed = { v: 1, mode: 'aws:kms', key: 'payroll', generation: 3, keyCrc: 0xdeadbeef } as const

const everyFact: ObjectFacts = {
  size: 4096,
  etag: 'd41d8cd98f00b204e9800998ecf8427e',
  storageClass: 'GLACIER',
  checksum: { algorithm: 'SHA256', type: 'COMPOSITE', value: 'LPJNul-3' },
  partsCount: 3,
  content: { kind: 'blob', blob, sealed },
  metadata: {
    contentType: 'text/plain',
    contentEncoding: 'gzip',
    contentLanguage: 'de',
    contentDisposition: 'inline',
    cacheControl: 'no-store',
    expires: 'never',
    websiteRedirectLocation: '/elsewhere',
    user: [
      ['colour', 'grün'],
      ['', ''],
    ],
  },
  encryption: { mode: 'SSE-C', keyName: 'payroll', proof: 'AQID', bucketKey: true },
  tags: [{ key: 'k', value: 'v' }],
  acl: {
    owner: 'a1',
    grants: [
      { grantee: { id: 'b2' }, permission: 'READ' },
      { grantee: { group: 'AllUsers' }, permission: 'FULL_CONTROL' },
    ],
  },
  retention: { mode: 'COMPLIANCE', until: 1_800_000_000_000 },
  legalHold: 'ON',
}

const { tags, acl, retention, legalHold, storageClass, encryption, metadata, checksum } = everyFact
const creation = { tags, acl, retention, legalHold, storageClass, encryption }
const keyGeneration = { generation: 2, master: '0011223344556677', wrapped: 'AAECAw==' }

const settings = Object.entries(everySetting) as unknown as readonly [Setting['kind'], Setting['value']][]

const cause = { kind: 'restore', id: '00112233445566778899aabbccddeeff', to: 2 } as const

const undoing = { ...cause, kind: 'undo' } as const

const events: readonly Event[] = [
  { type: 'BucketCreated', data: { bucket: 'box', owner: ann, region: 'eu' } },
  { type: 'BucketDeleted', data: { bucket: 'box', leavesUploads: true } },
  { type: 'BucketRestored', data: { bucket: 'box', deleted: 2, cause } },
  { type: 'BucketForked', data: { bucket: 'try', owner: ann, from: 'box', position: 300, shown: 12 } },
  { type: 'ForkDropped', data: { bucket: 'try', leavesUploads: true } },
  { type: 'ForkCleared', data: { bucket: 'try', dropped: 301 } },
  { type: 'ForkReleased', data: { fork: 300 } },
  { type: 'VersioningSet', data: { bucket: 'box', status: 'Suspended' } },
  { type: 'BucketSettingRemoved', data: { bucket: 'box', kind: 'Website' } },
  ...settings.map(
    ([kind, value]) => ({ type: settingEventType(kind), data: { bucket: 'box', value, cause: undoing } }) as Event,
  ),
  {
    type: 'VersionAdded',
    data: {
      ...inKey,
      nullVersion: true,
      replaces: 5,
      owner: ann,
      copiedFrom: { ...inKey, version: 4 },
      cause,
      ...everyFact,
    },
  },
  { type: 'DeleteMarkerAdded', data: { ...inKey, nullVersion: false, replaces: 300, cause } },
  { type: 'VersionRemoved', data: { ...inKey, version: 5, deleteMarker: true, promotes: 4, cause } },
  { type: 'VersionRestored', data: { ...inKey, version: 5, deleteMarker: false, removed: 9, cause: undoing } },
  { type: 'ObjectTagsSet', data: { ...inKey, version: 5, value: tags ?? [], cause } },
  { type: 'ObjectAclSet', data: { ...inKey, version: 5, ...(acl && { value: acl }) } },
  { type: 'ObjectRetentionSet', data: { ...inKey, version: 5, ...(retention && { value: retention }) } },
  { type: 'ObjectLegalHoldSet', data: { ...inKey, version: 5, value: 'OFF' } },
  {
    type: 'UploadStarted',
    data: {
      ...inKey,
      owner: ann,
      metadata,
      checksumAlgorithm: 'CRC32',
      checksumType: 'FULL_OBJECT',
      defaultChecksumAlgorithm: 'CRC64NVME',
      ...creation,
    } as never,
  },
  {
    type: 'PartAdded',
    data: {
      ...inKey,
      upload: 7,
      partNumber: 10_000,
      size: 4096,
      etag: everyFact.etag,
      content: { kind: 'empty' },
      ...(checksum && { checksum }),
      defaultChecksum: 'AAECAwQFBgc=',
      replaces: 8,
    },
  },
  {
    type: 'UploadCompleted',
    data: {
      ...inKey,
      nullVersion: false,
      replaces: 5,
      owner: ann,
      upload: 7,
      parts: [
        [1, 3],
        [5, 5],
      ],
      unused: [4, 9],
      ...everyFact,
      etag: 'd41d8cd98f00b204e9800998ecf8427e-3',
      content: { kind: 'parts', upload: 7 },
    },
  },
  { type: 'UploadAborted', data: { ...inKey, upload: 7, lastOf: 9 } },
  {
    type: 'RetentionSet',
    data: {
      bucket: 'box',
      retention: { keepMs: 2_592_000_000, budget: { bytes: 1_000_000, percent: 10 } },
      graceMs: 5,
    },
  },
  {
    type: 'ErasureStarted',
    data: {
      contents: [
        { freedBy: 3, index: 0 },
        { freedBy: 4, index: 2 },
      ],
    },
  },
  {
    type: 'ContentsErased',
    data: {
      erased: [
        { freedBy: 3, index: 0, content: { kind: 'blob', blob } },
        { freedBy: 4, index: 2, content: { kind: 'parts', upload: 7 }, partNumbers: [1, 2], continues: true },
      ],
    },
  },
  {
    type: 'ErasureRequested',
    data: {
      bucket: 'box',
      versions: [
        { key: 'a/b c', version: 5 },
        { key: '', version: 300 },
      ],
    },
  },
  { type: 'SnapshotCreated', data: { name: 'before-import', position: 3, bucket: 'box' } },
  { type: 'SnapshotDeleted', data: { name: 'before-import' } },
  {
    type: 'TaskStarted',
    data: {
      id: 'abc123',
      kind: 'restore',
      request: { bucket: 'box', to: 3 },
      planned: 300,
      keeps: 3,
      total: 1000,
      done: 100,
      after: 'k',
    },
  },
  { type: 'TaskContinued', data: { id: 'abc123', done: 200, after: 'kk' } },
  { type: 'TaskEnded', data: { id: 'abc123', outcome: 'failed', code: 'RestoreConflict' } },
  {
    type: 'PinsSettled',
    data: {
      pinned: [{ freedBy: 4, index: 2 }],
      released: [
        { freedBy: 3, index: 0 },
        { freedBy: 3, index: 1 },
      ],
      settled: { position: 3, of: 1 },
    },
  },
  {
    type: 'IdentityCreated',
    data: {
      id: 'a1',
      name: 'deployer',
      displayName: 'Déployeur',
      email: 'd@example.org',
      policy: '{"Version":"2012-10-17"}',
      trust: '{}',
    },
  },
  { type: 'IdentityPolicySet', data: { id: 'a1', policy: '{"Version":"2012-10-17"}', trust: '{}' } },
  { type: 'IdentityQuotaSet', data: { id: 'a1', bytes: 1_000_000, buckets: 10 } },
  { type: 'IdentityRemoved', data: { id: 'a1' } },
  { type: 'AccessKeyAdded', data: { identity: 'a1', accessKeyId: 'AKIA0123' } },
  { type: 'AccessKeyRevoked', data: { identity: 'a1', accessKeyId: 'AKIA0123' } },
  { type: 'KeyGenerationAdded', data: keyGeneration },
  { type: 'KeyGenerationRewrapped', data: keyGeneration },
  { type: 'EventLost', data: { reason: 'dependent', dependsOn: 3, bytes: 99, sha256: 'abc_-' } },
  {
    type: 'EpochBegun',
    data: { epoch: '3f9k2m1x', from: { seq: 40, hash: 'abc_-' }, reason: 'restored', source: 'offsite' },
  },
  {
    type: 'BytesHealed',
    data: { what: 'inline', blob: '00112233445566778899aabbccddeeff', brought: 7, fault: 'damaged', from: 's3://b/p' },
  },
]

export const everyEvent: readonly RecordedEvent[] = events.map((event, i) => ({
  ...event,
  seq: i + 1,
  at: 1_767_225_600_000 + i,
  by: ann,
  ...(i % 3 === 2 && { epoch: 'vwxyz012' }),
  requestId: i % 2 === 0 ? '00112233445566778899aabbccddeeff' : `request ${i}`,
  prev: i === 0 ? '' : '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
}))
