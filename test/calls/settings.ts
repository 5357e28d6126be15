/** One value of each kind of setting. */
import type { SettingValues } from '@varve/core'

export const settings: SettingValues = {
  Acceleration: 'Enabled',
  Acl: { owner: 'ann', grants: [{ grantee: { id: 'ann' }, permission: 'FULL_CONTROL' }] },
  Cors: [{ allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposeHeaders: ['etag'] }],
  Encryption: { mode: 'AES256', bucketKey: false },
  Lifecycle: {
    rules: [
      { id: 'old', status: 'Enabled', filter: { prefix: 'logs/' }, filterForm: 'filter', expiration: { days: 30 } },
      { id: 'parts', status: 'Disabled', filter: {}, filterForm: 'filter', abortUploadsAfterDays: 3 },
    ],
  },
  Logging: { targetBucket: 'logs', targetPrefix: 'box/', keyFormat: { kind: 'simple' } },
  Notifications: { targets: [{ id: 'q', kind: 'Queue', arn: 'arn:aws:sqs:eu::q', events: ['s3:ObjectCreated:*'] }] },
  ObjectLock: { default: { mode: 'GOVERNANCE', days: 1 } },
  Ownership: 'ObjectWriter',
  Policy: '{ "Version": "2012-10-17", "Statement": [] }',
  PublicAccessBlock: {
    blockPublicAcls: true,
    ignorePublicAcls: false,
    blockPublicPolicy: true,
    restrictPublicBuckets: false,
  },
  Quota: { bytes: 1_000_000_000, objectBytes: 1_000_000_000, objects: 1_000_000, uploads: 1_000 },
  RequestPayment: 'Requester',
  Tags: [{ key: 'colour', value: 'green' }],
  Website: { indexSuffix: 'index.html', errorKey: 'error.html' },
}
