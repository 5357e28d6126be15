/** Reads and changes the settings of buckets; all kinds of settings have the same methods. */
import type { Soon } from '../base/soon.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { ReadSnapshot, NamedBucket } from '../reads/read-snapshot.ts'
import { type SettingKind, settingKinds, settingOf, type SettingValues } from '../settings/setting.ts'
import { checkSettingKind, settingValue } from './arguments/bucket-options.ts'
import { cancelable, checkBucket, optionsOf } from './arguments/common.ts'
import { type ReadScope, withSnapshot } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import type { Cancelable } from './types/index.ts'

/** Reads the settings of buckets. */
export interface ReadBucketSettings {
  /** `undefined` if the bucket does not have this setting. @throws StorageError `NoSuchBucket`. */
  get<K extends SettingKind>(bucket: string, kind: K, options?: Cancelable): Promise<SettingValues[K] | undefined>
  /** All settings of the bucket, by kind. @throws StorageError `NoSuchBucket`. */
  all(bucket: string, options?: Cancelable): Promise<Readonly<Partial<SettingValues>>>
}

/** Reads and changes the settings of buckets. */
export interface BucketSettings extends ReadBucketSettings {
  /**
   * Replaces the setting of this kind.
   * @throws StorageError `NoSuchBucket`; `InvalidBucketState` for Object Lock without versioning.
   */
  put<K extends SettingKind>(bucket: string, kind: K, value: SettingValues[K], options?: Cancelable): Promise<void>
  /** No error if the setting is absent. @throws StorageError `NoSuchBucket`; `InvalidRequest` for Object Lock. */
  remove(bucket: string, kind: SettingKind, options?: Cancelable): Promise<void>
}

export function readBucketSettings(scope: ReadScope): ReadBucketSettings {
  const asking = <R>(
    name: string,
    options: Cancelable | undefined,
    ask: (snapshot: ReadSnapshot, bucket: NamedBucket) => Soon<R>,
  ) => {
    checkBucket(name)
    optionsOf(cancelable, options).signal?.throwIfAborted()
    const named = async (snapshot: ReadSnapshot) => {
      const row = await snapshot.bucket(name)
      if (row === undefined) throw noSuchBucket(name)
      return ask(snapshot, { name, row })
    }
    return withSnapshot(scope, named, { bucket: name })
  }
  return {
    async get(bucket, kind, options) {
      checkSettingKind(kind)
      return asking(bucket, options, (snapshot, named) => snapshot.setting(named, kind))
    },
    all: async (bucket, options) =>
      asking(bucket, options, async (snapshot, named) => {
        const found: Partial<Record<SettingKind, unknown>> = {}
        for (const kind of settingKinds) {
          if (named.row.settings?.[kind] !== undefined) found[kind] = await snapshot.setting(named, kind)
        }
        return found as Partial<SettingValues>
      }),
  }
}

export function bucketSettings(
  read: ReadBucketSettings,
  requests: RequestEngine,
  context: StoreContext,
): BucketSettings {
  return {
    async put(bucket, kind, given, options) {
      checkBucket(bucket)
      checkSettingKind(kind)
      const value = settingValue(kind, given)
      optionsOf(cancelable, options).signal?.throwIfAborted()
      await requests.assertRoom()
      await requests.submit('PutBucketSetting', { bucket, setting: settingOf(kind, value) }, context)
    },
    async remove(bucket, kind, options) {
      checkBucket(bucket)
      checkSettingKind(kind)
      optionsOf(cancelable, options).signal?.throwIfAborted()
      await requests.submit('DeleteBucketSetting', { bucket, kind }, context)
    },
    ...read,
  }
}
