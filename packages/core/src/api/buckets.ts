import { noSuchBucket } from '../reads/conditions.ts'
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import { type BucketEvent, evolveBucket } from '../views/evolve-bucket.ts'
import { type Setting, settingKinds, settingOf, type SettingValues } from '../settings/setting.ts'
import type { BucketRow } from '../views/rows.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { checked } from '../schema/schema.ts'
import { atCall } from './arguments/at-call.ts'
import { bucketListOptions, createBucketOptions, forkOptions, versioningStatus } from './arguments/bucket-options.ts'
import { cancelable, checkBucket, optionsOf } from './arguments/common.ts'
import { type BucketSettings, bucketSettings, type ReadBucketSettings, readBucketSettings } from './bucket-settings.ts'
import { type ReadScope, withSnapshot } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { type RequestEngine, findEvent } from '../requests/request-engine.ts'
import { heldByFork } from '../requests/held-by-fork.ts'
import { ensureBucket } from './ensure-bucket.ts'
import { forkBucket } from './fork-bucket.ts'
import { isBucketThere } from './is-there.ts'
import type { BucketInfo, Cancelable, CreateBucketOptions, ForkOptions } from './types/index.ts'

/** Reads buckets. */
export interface ReadBuckets {
  /** Policies, tags, lifecycle and so on. */
  readonly settings: ReadBucketSettings
  /** Buckets in the order of their names. Each thousand is read from one committed state. */
  list(options?: Cancelable & { readonly prefix?: string }): AsyncIterable<BucketInfo>
  /** @throws StorageError `NoSuchBucket`. */
  head(bucket: string, options?: Cancelable): Promise<BucketInfo>
  /** Whether there is a bucket of this name, also one of another owner. */
  exists(bucket: string, options?: Cancelable): Promise<boolean>
  /** @throws StorageError `NoSuchBucket`. */
  getLocation(bucket: string, options?: Cancelable): Promise<string>
  /** `undefined` if versioning was never set. @throws StorageError `NoSuchBucket`. */
  getVersioning(bucket: string, options?: Cancelable): Promise<VersioningStatus | undefined>
}

/** Creates, reads and deletes buckets. */
export interface Buckets extends ReadBuckets {
  readonly settings: BucketSettings
  /** @throws StorageError `InvalidBucketName`, `BucketAlreadyExists`, `BucketAlreadyOwnedByYou`, `ForkBeingCleared`. */
  create(bucket: string, options?: CreateBucketOptions): Promise<BucketInfo>
  /**
   * The bucket, which is created with these options if there is none. A bucket that exists stays as it is, also one of another owner.
   * @throws StorageError as `create`, except `BucketAlreadyExists` and `BucketAlreadyOwnedByYou`
   */
  ensure(bucket: string, options?: CreateBucketOptions): Promise<BucketInfo>
  /**
   * Also aborts the uploads in progress.
   * @throws StorageError `NoSuchBucket`, `BucketNotEmpty`; `NotImplemented` for a fork that hides many versions of its base:
   *   drop it instead
   */
  delete(bucket: string, options?: Cancelable): Promise<void>
  /**
   * Creates a bucket `name` that begins as `bucket` is, or was. Both change independently from then on. This takes the same
   * time for any number of objects, and no room: the fork reads what it has not changed from its base, whatever happens to
   * that. The fork has the base's settings, without lifecycle rules, notifications and logging. It keeps the bytes that the
   * base showed. A store can have 1000 forks, and 8 forks can each be a fork of the one before.
   * @throws StorageError `NoSuchBucket` if `bucket` did not exist then; `TooManyForks`, `QuotaExceeded`, `ForkTooDeep`, `ForkBeingCleared`; as
   *   `create`; what `at` of the store throws for the moment
   */
  fork(bucket: string, name: string, options?: ForkOptions): Promise<BucketInfo>
  /**
   * Deletes a fork with everything in it. This takes the same time for any number of objects, but for a fork with Object Lock, of which the
   * locks of all versions are read; a background job removes the
   * fork's own versions afterwards, and until it has ended the name is refused with `ForkBeingCleared`.
   * @throws StorageError `NoSuchBucket`, `NotAFork`; `AccessDenied` for a fork with Object Lock that has versions of its own,
   *   keeps bytes that its base has removed, or alone has versions that are locked in it
   */
  drop(bucket: string, options?: Cancelable): Promise<void>
  /** @throws StorageError `NoSuchBucket`. */
  setVersioning(bucket: string, status: VersioningStatus, options?: Cancelable): Promise<void>
}

const pageBuckets = 1000

export function readBuckets(scope: ReadScope): ReadBuckets {
  const head = async (bucket: string, options?: Cancelable): Promise<BucketInfo> => {
    checkBucket(bucket)
    optionsOf(cancelable, options).signal?.throwIfAborted()
    const row = await withSnapshot(scope, (snapshot) => snapshot.bucket(bucket), { bucket })
    if (row === undefined) throw noSuchBucket(bucket)
    return bucketInfo({ name: bucket, row })
  }
  return {
    settings: readBucketSettings(scope),
    head,
    exists: (bucket, options) => isBucketThere(head(bucket, options)),
    list: (options) =>
      listed(
        scope,
        atCall(() => optionsOf(bucketListOptions, options)),
      ),
    getLocation: async (bucket, options) => (await head(bucket, options)).region,
    getVersioning: async (bucket, options) => (await head(bucket, options)).versioning,
  }
}

async function* listed(
  scope: ReadScope,
  options: () => Cancelable & { readonly prefix?: string },
): AsyncGenerator<BucketInfo> {
  const { prefix = '', signal } = options()
  // A past state never changes, so one read of all buckets is consistent, and it is faster than pages.
  const limit = scope.at === undefined ? pageBuckets : Number.POSITIVE_INFINITY
  let after = ''
  for (;;) {
    signal?.throwIfAborted()
    const from = after
    const page = await withSnapshot(scope, (snapshot) => snapshot.buckets(prefix, { after: from, limit }))
    for (const bucket of page) yield bucketInfo(bucket)
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    after = last.name
  }
}

export function buckets(read: ReadBuckets, requests: RequestEngine, context: StoreContext, region: string): Buckets {
  const create = async (bucket: string, given?: CreateBucketOptions): Promise<BucketInfo> => {
    checkBucket(bucket)
    const options = optionsOf(createBucketOptions, given)
    const { signal, versioning, settings, owner } = options
    signal?.throwIfAborted()
    await requests.assertRoom()
    const command = {
      bucket,
      region: options.region ?? region,
      ...(versioning && { versioning }),
      ...(settings && { settings: settingsIn(settings) }),
      ...(owner && { owner }),
    }
    return created(await requests.submit('CreateBucket', command, context))
  }
  return {
    create,
    ensure: (bucket, options) => ensureBucket({ head: read.head, create }, bucket, options),
    async delete(bucket, options) {
      checkBucket(bucket)
      optionsOf(cancelable, options).signal?.throwIfAborted()
      await requests.submit('DeleteBucket', { bucket }, context)
    },
    async fork(from, bucket, given) {
      checkBucket(from)
      checkBucket(bucket)
      return bucketInfo(await forkBucket(requests, context, { from, bucket }, optionsOf(forkOptions, given)))
    },
    async drop(bucket, options) {
      checkBucket(bucket)
      const { signal } = optionsOf(cancelable, options)
      signal?.throwIfAborted()
      const held = await heldByFork(requests, bucket, signal)
      await requests.submit('DropFork', { bucket, ...(held && { held }) }, context)
    },
    async setVersioning(bucket, given, options) {
      checkBucket(bucket)
      const status = checked('status', versioningStatus, given)
      optionsOf(cancelable, options).signal?.throwIfAborted()
      await requests.submit('PutBucketVersioning', { bucket, status }, context)
    },
    // The spread is last: V8 has a fast path for that, and this object is created for every request.
    ...read,
    settings: bucketSettings(read.settings, requests, context),
  }
}

/** Reads the event, not the rows: the next command may have changed the rows, or the store may be closing. */
function created(events: readonly RecordedEvent[]): BucketInfo {
  const event = findEvent(events, 'BucketCreated')
  const row = (events as readonly BucketEvent[]).reduce(evolveBucket, undefined as BucketRow | undefined)
  if (event === undefined || row === undefined) {
    throw new StorageError('InternalError', 'The command left no bucket.')
  }
  return bucketInfo({ name: event.data.bucket, row })
}

const settingsIn = (settings: Readonly<Partial<SettingValues>>): readonly Setting[] =>
  settingKinds.flatMap((kind) => (settings[kind] === undefined ? [] : [settingOf(kind, settings[kind])]))

export function bucketInfo({ name, row }: NamedBucket): BucketInfo {
  const { incarnation: seq, owner, region, createdAt, versioning, settings, base } = row
  const optional = {
    ...(versioning && { versioning }),
    ...(settings && { settings }),
    ...(base && { base: { bucket: base.bucket, seq: base.position } }),
  }
  return { name, seq, owner, region, createdAt: new Date(createdAt), ...optional }
}
