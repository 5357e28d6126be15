/** The schema of each kind of setting. `checkSetting` checks how values fit together. */
import { boolean, integer, literal, number, text, word } from '../schema/scalars.ts'
import type { Schema } from '../schema/schema.ts'
import { array, byField, object, optional, tagged } from '../schema/structures.ts'
import type { PublicAccessBlock } from './access-control.ts'
import { acl, grants, retentionMode, tags } from './annotation-schemas.ts'
import type { CorsRule } from './cors.ts'
import type { BucketQuota } from './quota.ts'
import type { BucketEncryption } from './encryption.ts'
import type {
  LifecycleConfiguration,
  LifecycleExpiration,
  LifecycleFilter,
  LifecycleRule,
  LifecycleTransition,
} from './lifecycle.ts'
import type { LoggingConfiguration } from './logging.ts'
import type { NotificationConfiguration, NotificationTarget } from './notifications.ts'
import type { ObjectLockConfiguration, RetentionMode } from './object-lock.ts'
import { type SettingKind, settingKinds, type SettingValues } from './setting.ts'
import type { WebsiteConfiguration, WebsiteRedirect, WebsiteRoutingRule } from './website.ts'

const documentMax = 1024 * 1024
const texts = array(text())

const cors = array(
  object<CorsRule>({
    id: optional(text()),
    allowedOrigins: texts,
    allowedMethods: texts,
    allowedHeaders: texts,
    exposeHeaders: texts,
    maxAgeSeconds: optional(number),
  }),
)

const encryption = object<BucketEncryption>({
  mode: word<BucketEncryption['mode']>(),
  keyName: optional(text()),
  bucketKey: optional(boolean),
})

const expiration: Schema<LifecycleExpiration> = byField<LifecycleExpiration>({
  days: object<{ readonly days: number }>({ days: number }),
  date: object<{ readonly date: number }>({ date: number }),
  expiredObjectDeleteMarker: object<{ readonly expiredObjectDeleteMarker: boolean }>({
    expiredObjectDeleteMarker: boolean,
  }),
})

const transitions = array(
  object<LifecycleTransition>({
    storageClass: text(),
    days: optional(number),
    date: optional(number),
    newerVersions: optional(number),
  }),
)

const lifecycleRule = object<LifecycleRule>({
  id: text(),
  status: literal('Enabled', 'Disabled'),
  filter: object<LifecycleFilter>({
    prefix: optional(text()),
    tags: optional(tags),
    sizeGreaterThan: optional(number),
    sizeLessThan: optional(number),
  }),
  filterForm: literal('prefix', 'filter', 'and'),
  expiration: optional(expiration),
  noncurrentExpiration: optional(
    object<{ readonly days: number; readonly newerVersions?: number }>({
      days: number,
      newerVersions: optional(number),
    }),
  ),
  abortUploadsAfterDays: optional(number),
  transitions: optional(transitions),
  noncurrentTransitions: optional(transitions),
})

type KeyFormat = NonNullable<LoggingConfiguration['keyFormat']>

const logging = object<LoggingConfiguration>({
  targetBucket: text(),
  targetPrefix: text(),
  targetGrants: optional(grants),
  keyFormat: optional(
    tagged<KeyFormat, 'kind'>('kind', {
      simple: object<{ readonly kind: 'simple' }>({ kind: literal('simple') }),
      partitioned: object<{ readonly kind: 'partitioned'; readonly dateSource: string }>({
        kind: literal('partitioned'),
        dateSource: text(),
      }),
    }),
  ),
})

type FilterRule = NonNullable<NotificationTarget['filter']>[number]

const notifications = object<NotificationConfiguration>({
  targets: array(
    object<NotificationTarget>({
      id: text(),
      kind: literal('Topic', 'Queue', 'CloudFunction'),
      arn: text(),
      events: texts,
      filter: optional(array(object<FilterRule>({ name: literal('prefix', 'suffix'), value: text() }))),
    }),
  ),
  eventBridge: optional(boolean),
})

type DefaultRetention = NonNullable<ObjectLockConfiguration['default']>

const objectLock = object<ObjectLockConfiguration>({
  default: optional(
    byField<DefaultRetention>({
      days: object<{ readonly mode: RetentionMode; readonly days: number }>({ mode: retentionMode, days: number }),
      years: object<{ readonly mode: RetentionMode; readonly years: number }>({ mode: retentionMode, years: number }),
    }) as Schema<DefaultRetention>,
  ),
})

/** `checkWebsite` checks the values, with S3's messages. */
const protocol = word<'http' | 'https'>()

const routingRule = object<WebsiteRoutingRule>({
  condition: optional(
    object<NonNullable<WebsiteRoutingRule['condition']>>({
      keyPrefixEquals: optional(text()),
      httpErrorCodeReturnedEquals: optional(text()),
    }),
  ),
  redirect: object<WebsiteRedirect>({
    hostName: optional(text()),
    protocol: optional(protocol),
    httpRedirectCode: optional(text()),
    replaceKeyPrefixWith: optional(text()),
    replaceKeyWith: optional(text()),
  }),
})

const website = object<WebsiteConfiguration>({
  redirectAllTo: optional(
    object<NonNullable<WebsiteConfiguration['redirectAllTo']>>({ hostName: text(), protocol: optional(protocol) }),
  ),
  indexSuffix: optional(text()),
  errorKey: optional(text()),
  routingRules: optional(array(routingRule)),
})

export const settingValues: { readonly [K in SettingKind]: Schema<SettingValues[K]> } = {
  Acceleration: literal('Enabled', 'Suspended'),
  Acl: acl,
  Cors: cors,
  Encryption: encryption,
  Lifecycle: object<LifecycleConfiguration>({
    rules: array(lifecycleRule),
    transitionMinimumSize: optional(text()),
  }),
  Logging: logging,
  Notifications: notifications,
  ObjectLock: objectLock,
  Ownership: literal('BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'),
  Policy: text({ max: documentMax }),
  PublicAccessBlock: object<PublicAccessBlock>({
    blockPublicAcls: boolean,
    ignorePublicAcls: boolean,
    blockPublicPolicy: boolean,
    restrictPublicBuckets: boolean,
  }),
  Quota: object<BucketQuota>({
    bytes: optional(integer({ min: 0 })),
    objectBytes: optional(integer({ min: 0 })),
    objects: optional(integer({ min: 0 })),
    uploads: optional(integer({ min: 0 })),
  }),
  RequestPayment: literal('BucketOwner', 'Requester'),
  Tags: tags,
  Website: website,
}

export const settingKind: Schema<SettingKind> = literal(...settingKinds)
