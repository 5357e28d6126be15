/**
 * The session behind the second golden file: settings of a bucket, annotations of versions, and the second shapes.
 * Never change it.
 */
import { type Annotation, openEngine, type SettingValues, type Store, type StorePorts } from '@varve/core'

const part = 'p'.repeat(5 * 1024 * 1024)

const acl = {
  owner: 'a1',
  grants: [
    { grantee: { id: 'a1' }, permission: 'FULL_CONTROL' },
    { grantee: { group: 'AllUsers' }, permission: 'READ' },
  ],
} as const

export const goldenSettings: Omit<SettingValues, 'Quota'> = {
  Acceleration: 'Suspended',
  Acl: acl,
  Cors: [
    { id: 'c', allowedOrigins: ['https://*.eu'], allowedMethods: ['PUT'], allowedHeaders: ['*'], exposeHeaders: [] },
  ],
  Encryption: { mode: 'AES256', bucketKey: false },
  Lifecycle: {
    rules: [
      {
        id: 'old',
        status: 'Enabled',
        filter: { prefix: 'logs/', tags: [{ key: 'k', value: 'v' }], sizeGreaterThan: 5 },
        filterForm: 'and',
        expiration: { days: 30 },
        noncurrentExpiration: { days: 7, newerVersions: 2 },
      },
      { id: 'stale', status: 'Enabled', filter: {}, filterForm: 'filter', abortUploadsAfterDays: 1 },
    ],
  },
  Logging: { targetBucket: 'golden', targetPrefix: 'log/' },
  Notifications: {
    targets: [{ id: 'q', kind: 'Queue', arn: 'arn:aws:sqs:eu:1:q', events: ['s3:ObjectCreated:*'] }],
  },
  ObjectLock: { default: { mode: 'GOVERNANCE', days: 1 } },
  Ownership: 'ObjectWriter',
  Policy: '{ "Version": "2012-10-17",\n "Statement": [] }',
  PublicAccessBlock: {
    blockPublicAcls: true,
    ignorePublicAcls: true,
    blockPublicPolicy: false,
    restrictPublicBuckets: false,
  },
  RequestPayment: 'BucketOwner',
  Tags: [{ key: 'colour', value: 'grün' }],
  Website: { indexSuffix: 'index.html' },
}

const tags = [{ key: 'colour', value: 'grün' }]
const annotated: readonly Annotation[] = [
  { kind: 'tags', value: tags },
  { kind: 'acl', value: acl },
  { kind: 'legalHold', value: 'ON' },
  { kind: 'legalHold', value: 'OFF' },
  { kind: 'retention', value: { mode: 'GOVERNANCE', until: 1_767_398_400_000 } },
]

export async function secondGoldenSession(ports: StorePorts): Promise<Store> {
  const store = await openEngine(ports, { inlineMax: 16 }, { storeId: 'golden' })
  const alice = store.as({ by: { id: 'a1', name: 'Alice' } })
  await alice.buckets.create('golden', { versioning: 'Enabled', settings: goldenSettings })
  await alice.buckets.settings.remove('golden', 'Policy')
  await alice.buckets.settings.remove('golden', 'Encryption')
  await alice.objects.put('golden', 'plain', 'as ever')
  await alice.objects.put('golden', 'tagged', 'inline', { tags, storageClass: 'STANDARD_IA' })
  for (const annotation of annotated) await alice.objects.annotate('golden', 'plain', annotation)
  await alice.objects.annotate('golden', 'plain', { kind: 'tags' })
  const upload = await alice.uploads.create('golden', 'assembled', { tags, acl })
  const one = await alice.uploads.uploadPart(upload, 1, part)
  await alice.uploads.complete(upload, [one])
  return store
}
