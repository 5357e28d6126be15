/** Checks the arguments of calls about buckets and their settings. */
import { actor } from './actor.ts'
import type { VersioningStatus } from '../../settings/versioning.ts'
import { literal, text } from '../../schema/scalars.ts'
import { checked, type Schema } from '../../schema/schema.ts'
import { object, optional } from '../../schema/structures.ts'
import { settingKind, settingValues } from '../../settings/setting-schemas.ts'
import { type SettingKind, settingKinds, type SettingValues } from '../../settings/setting.ts'
import type { Cancelable, CreateBucketOptions, ForkOptions } from '../types/index.ts'
import { moment, signal } from './common.ts'

export const versioningStatus: Schema<VersioningStatus> = literal('Enabled', 'Suspended')

export const bucketSettings = object<Partial<SettingValues>>(
  Object.fromEntries(settingKinds.map((kind) => [kind, optional(settingValues[kind] as Schema<unknown>)])) as never,
)

export const createBucketOptions = object<CreateBucketOptions>({
  ...signal,
  region: optional(text({ min: 1 })),
  versioning: optional(versioningStatus),
  settings: optional(bucketSettings),
  owner: optional(actor),
})

export const forkOptions = object<ForkOptions>({ ...signal, at: optional(moment) })

export const bucketListOptions = object<Cancelable & { readonly prefix?: string }>({
  prefix: optional(text()),
  ...signal,
})

/** @throws StorageError `InvalidArgument` for an unknown kind of setting. */
export const checkSettingKind = (kind: unknown): SettingKind => checked('kind', settingKind, kind)

/** A checked copy. @throws StorageError `InvalidArgument` */
export const settingValue = <K extends SettingKind>(kind: K, value: unknown): SettingValues[K] =>
  checked('value', settingValues[kind], value)
