/** One of each. */
import type { Annotation, AnnotationKind } from './annotation.ts'
import type { SettingValues } from './setting.ts'

const acl = {
  owner: 'ann',
  grants: [
    { grantee: { id: 'ann' }, permission: 'FULL_CONTROL' },
    { grantee: { group: 'AllUsers' }, permission: 'READ' },
  ],
} as const

export const everySetting: SettingValues = {
  Acceleration: 'Enabled',
  Acl: acl,
  Cors: [{ allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposeHeaders: ['etag'] }],
  Encryption: { mode: 'AES256' },
  Lifecycle: {
    rules: [
      { id: 'old', status: 'Enabled', filter: { prefix: 'logs/' }, filterForm: 'filter', expiration: { days: 30 } },
    ],
  },
  Logging: { targetBucket: 'logs', targetPrefix: 'box/' },
  Notifications: { targets: [{ id: 'hook', kind: 'Queue', arn: 'arn:aws:sqs:eu::q', events: ['s3:ObjectCreated:*'] }] },
  ObjectLock: { default: { mode: 'GOVERNANCE', days: 1 } },
  Ownership: 'ObjectWriter',
  Policy: '{ "Version": "2012-10-17", "Statement": [] }',
  PublicAccessBlock: {
    blockPublicAcls: true,
    ignorePublicAcls: false,
    blockPublicPolicy: true,
    restrictPublicBuckets: false,
  },
  Quota: { bytes: 1_000_000_000, objectBytes: 1_000_000, objects: 1_000_000, uploads: 1_000 },
  RequestPayment: 'Requester',
  Tags: [{ key: 'colour', value: 'green' }],
  Website: { indexSuffix: 'index.html', errorKey: 'error.html' },
}

export const everyAnnotation: readonly Annotation[] = Object.values({
  tags: { kind: 'tags', value: [{ key: 'colour', value: 'green' }] },
  acl: { kind: 'acl', value: acl },
  retention: { kind: 'retention', value: { mode: 'GOVERNANCE', until: 4_000_000_000_000 } },
  legalHold: { kind: 'legalHold', value: 'ON' },
} satisfies { readonly [K in AnnotationKind]: Annotation<K> })
