/** Buckets and their settings in the process that has the store open. */
import {
  type BucketInfo,
  type Buckets,
  type BucketSettings,
  callArguments,
  cancelable,
  optionsOf,
  type ReadBuckets,
  type ReadBucketSettings,
  schema,
  type SettingKind,
  type SettingValues,
} from '@varve/core'
import { controlApi } from '@varve/http'
import { apart, type AttachedScope, stateOf } from './attached-scope.ts'

const { checked } = schema
const { atCall, checkBucket, checkSettingKind, ensureBucket, isBucketThere } = callArguments

export function readAttachedBuckets(scope: AttachedScope): ReadBuckets {
  const { client } = scope
  const head: ReadBuckets['head'] = async (bucket, options) => {
    checkBucket(bucket)
    const [, sending] = apart(optionsOf(cancelable, options))
    return client.value(controlApi.headBucket, { bucket, ...stateOf(scope) }, sending)
  }
  return {
    settings: readAttachedSettings(scope),
    head,
    exists: (bucket, options) => isBucketThere(head(bucket, options)),
    list: (options) =>
      listed(
        scope,
        atCall(() => optionsOf(callArguments.bucketListOptions, options)),
      ),
    getLocation: async (bucket, options) => (await head(bucket, options)).region,
    getVersioning: async (bucket, options) => (await head(bucket, options)).versioning,
  }
}

async function* listed(
  scope: AttachedScope,
  options: () => NonNullable<Parameters<ReadBuckets['list']>[0]>,
): AsyncGenerator<BucketInfo> {
  const [sent, sending] = apart(options())
  yield* scope.client.lines(controlApi.listBuckets, { ...sent, ...stateOf(scope) }, sending)
}

function readAttachedSettings(scope: AttachedScope): ReadBucketSettings {
  const { client } = scope
  return {
    async get<K extends SettingKind>(bucket: string, given: K, options?: { readonly signal?: AbortSignal }) {
      const kind = checkSettingKind(given)
      checkBucket(bucket)
      const [, sending] = apart(optionsOf(cancelable, options))
      const { value } = await client.value(controlApi.getSetting, { bucket, kind, ...stateOf(scope) }, sending)
      return value as SettingValues[K] | undefined
    },
    async all(bucket, options) {
      checkBucket(bucket)
      const [, sending] = apart(optionsOf(cancelable, options))
      return client.value(controlApi.getSettings, { bucket, ...stateOf(scope) }, sending)
    },
  }
}

export function attachedBuckets(scope: AttachedScope): Buckets {
  const { client } = scope
  const read = readAttachedBuckets(scope)
  const create: Buckets['create'] = async (bucket, given) => {
    checkBucket(bucket)
    const [options, sending] = apart(optionsOf(callArguments.createBucketOptions, given))
    return client.value(controlApi.createBucket, { bucket, ...options }, sending)
  }
  return {
    ...read,
    settings: attachedSettings(scope, read.settings),
    create,
    ensure: (bucket, options) => ensureBucket({ head: read.head, create }, bucket, options),
    async delete(bucket, options) {
      checkBucket(bucket)
      const [, sending] = apart(optionsOf(cancelable, options))
      await client.value(controlApi.deleteBucket, { bucket }, sending)
    },
    async fork(bucket, name, given) {
      checkBucket(bucket)
      checkBucket(name)
      const [options, sending] = apart(optionsOf(callArguments.forkOptions, given))
      return client.value(controlApi.forkBucket, { bucket, name, ...options }, sending)
    },
    async drop(bucket, options) {
      checkBucket(bucket)
      const [, sending] = apart(optionsOf(cancelable, options))
      await client.value(controlApi.dropFork, { bucket }, sending)
    },
    async setVersioning(bucket, given, options) {
      checkBucket(bucket)
      const status = checked('status', callArguments.versioningStatus, given)
      const [, sending] = apart(optionsOf(cancelable, options))
      await client.value(controlApi.setVersioning, { bucket, status }, sending)
    },
  }
}

const attachedSettings = ({ client }: AttachedScope, read: ReadBucketSettings): BucketSettings => ({
  ...read,
  async put(bucket, given, value, options) {
    checkBucket(bucket)
    const kind = checkSettingKind(given)
    const setting = callArguments.settingValue(kind, value) as schema.Json
    const [, sending] = apart(optionsOf(cancelable, options))
    await client.value(controlApi.putSetting, { bucket, kind, value: setting }, sending)
  },
  async remove(bucket, given, options) {
    checkBucket(bucket)
    const kind = checkSettingKind(given)
    const [, sending] = apart(optionsOf(cancelable, options))
    await client.value(controlApi.removeSetting, { bucket, kind }, sending)
  },
})
