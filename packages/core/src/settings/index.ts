export type {
  AccessControlList,
  AclGroup,
  AclPermission,
  Grant,
  Grantee,
  ObjectOwnership,
  PublicAccessBlock,
} from './access-control.ts'
export type { Annotation, AnnotationKind, Annotations, AnnotationValues } from './annotation.ts'
export type { CorsRule } from './cors.ts'
export type { BucketEncryption } from './encryption.ts'
export type {
  LifecycleConfiguration,
  LifecycleExpiration,
  LifecycleFilter,
  LifecycleRule,
  LifecycleTransition,
} from './lifecycle.ts'
export type { LoggingConfiguration } from './logging.ts'
export type { NotificationConfiguration, NotificationTarget, NotificationTargetKind } from './notifications.ts'
export type { BucketQuota, IdentityQuota } from './quota.ts'
export type { ObjectLockConfiguration, Retention, RetentionMode } from './object-lock.ts'
export { settingKinds } from './setting.ts'
export type { Setting, SettingKind, SettingValues } from './setting.ts'
export type { Tag } from './tags.ts'
export type { WebsiteConfiguration, WebsiteRedirect, WebsiteRoutingRule } from './website.ts'
