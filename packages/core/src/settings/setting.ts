/**
 * The settings of a bucket, by kind. Every kind has its own event, `Bucket…Set`; one event for all kinds removes a
 * setting. Values are plain JSON with a fixed order of fields: part of the disk format.
 */
import type { AccessControlList, ObjectOwnership, PublicAccessBlock } from './access-control.ts'
import type { CorsRule } from './cors.ts'
import type { BucketEncryption } from './encryption.ts'
import type { LifecycleConfiguration } from './lifecycle.ts'
import type { LoggingConfiguration } from './logging.ts'
import type { NotificationConfiguration } from './notifications.ts'
import type { ObjectLockConfiguration } from './object-lock.ts'
import type { BucketQuota } from './quota.ts'
import { sortedTags } from './check-tags.ts'
import type { Tag } from './tags.ts'
import type { WebsiteConfiguration } from './website.ts'

/** The settings of a bucket, by kind. */
export interface SettingValues {
  readonly Acceleration: 'Enabled' | 'Suspended'
  readonly Acl: AccessControlList
  readonly Cors: readonly CorsRule[]
  readonly Encryption: BucketEncryption
  readonly Lifecycle: LifecycleConfiguration
  readonly Logging: LoggingConfiguration
  readonly Notifications: NotificationConfiguration
  readonly ObjectLock: ObjectLockConfiguration
  readonly Ownership: ObjectOwnership
  /** The document as it was sent. It is returned byte for byte. */
  readonly Policy: string
  readonly PublicAccessBlock: PublicAccessBlock
  readonly Quota: BucketQuota
  readonly RequestPayment: 'BucketOwner' | 'Requester'
  readonly Tags: readonly Tag[]
  readonly Website: WebsiteConfiguration
}

/** The kind of a setting of a bucket. */
export type SettingKind = keyof SettingValues

/** A setting: its kind and its value. */
export type Setting<K extends SettingKind = SettingKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly value: SettingValues[Kind] }
}[K]

export type SettingEventType<K extends SettingKind = SettingKind> = `Bucket${K}Set`

const kinds = {
  Acceleration: true,
  Acl: true,
  Cors: true,
  Encryption: true,
  Lifecycle: true,
  Logging: true,
  Notifications: true,
  ObjectLock: true,
  Ownership: true,
  Policy: true,
  PublicAccessBlock: true,
  Quota: true,
  RequestPayment: true,
  Tags: true,
  Website: true,
} as const satisfies Record<SettingKind, true>

/** In alphabetical order. */
export const settingKinds = Object.keys(kinds) as readonly SettingKind[]

/** A setting in the form that is stored: tags are sorted by key. */
export const settingOf = <K extends SettingKind>(kind: K, value: SettingValues[K]): Setting =>
  ({ kind, value: kind === 'Tags' ? sortedTags(value as SettingValues['Tags']) : value }) as Setting

/** The type of the event that sets a setting of this kind. */
export const settingEventType = <K extends SettingKind>(kind: K): SettingEventType<K> => `Bucket${kind}Set`

const kindsByEvent: ReadonlyMap<string, SettingKind> = new Map(
  settingKinds.map((kind) => [settingEventType(kind), kind]),
)

/** The kind that an event of this type sets, if it sets one. */
export const settingKindOf = (type: string): SettingKind | undefined => kindsByEvent.get(type)
