import type { Codec } from '../codec/codec.ts'
import { word } from '../codec/scalars.ts'
import type { SettingKind } from '../settings/setting.ts'

/** All kinds of settings. The order is disk format: a new kind comes last. */
export const settingOrder = Object.keys({
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
  RequestPayment: true,
  Tags: true,
  Website: true,
  Quota: true,
} satisfies Record<SettingKind, true>) as readonly SettingKind[]

export const settingKind: Codec<SettingKind> = word(...settingOrder)
