/** Reads for authorisation: they record the rows that they read. */
import { bytesOfString } from '../bytes/bytes.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { SettingKind, SettingValues } from '../settings/setting.ts'
import { checkBucket } from './arguments/common.ts'
import type { BucketInfo, UploadInfo, UploadRef } from './types/index.ts'
import { bucketInfo, type ReadBuckets, readBuckets } from './buckets.ts'
import { type ReadScope, type Tracked, withSnapshot } from '../requests/read-scope.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { type ReadObjects, readObjects } from './read-objects.ts'
import { headUpload } from './uploads.ts'

/** A bucket and the settings that authorise a request, read from one state. */
export interface BucketWithSettings {
  readonly info: BucketInfo
  /** Contains only settings that the bucket has. */
  readonly settings: Readonly<Partial<SettingValues>>
}

/** Reads whose rows are collected in a read set, for an authorisation. */
export interface TrackedReads {
  readonly buckets: Pick<ReadBuckets, 'head' | 'settings'>
  readonly objects: Pick<ReadObjects, 'annotations'>
  readonly uploads: { head(upload: UploadRef): Promise<UploadInfo> }
  /** A bucket with the settings that `kinds` returns, from one state. @throws StorageError `NoSuchBucket` */
  bucket(name: string, kinds: (info: BucketInfo) => readonly SettingKind[]): Promise<BucketWithSettings>
  /**
   * True if no commit can have changed the rows that were read, since before the read. Synchronous; false if the answer
   * needs a read.
   */
  isFresh(): boolean
}

/** Parts are created on first use: most requests read only a bucket. */
export class TrackingReads implements TrackedReads {
  readonly #scope: ReadScope & { readonly tracked: Tracked }
  readonly #since: number | undefined
  readonly #keys: Uint8Array[] = []
  #buckets: ReadBuckets | undefined
  #objects: ReadObjects | undefined

  constructor(requests: RequestEngine, into: Tracked) {
    this.#scope = { requests, tracked: into, mayBeOld: true }
    this.#since = requests.owner.changes?.settled
  }

  get buckets(): ReadBuckets {
    return (this.#buckets ??= readBuckets(this.#scope))
  }

  get objects(): ReadObjects {
    return (this.#objects ??= readObjects(this.#scope))
  }

  get uploads(): TrackedReads['uploads'] {
    return { head: (upload) => headUpload(this.#scope, upload) }
  }

  async bucket(name: string, kinds: (info: BucketInfo) => readonly SettingKind[]): Promise<BucketWithSettings> {
    checkBucket(name)
    return withSnapshot(this.#scope, async (snapshot) => {
      const row = await snapshot.bucket(name)
      if (row === undefined) throw noSuchBucket(name)
      const info = bucketInfo({ name, row })
      const settings: Partial<Record<SettingKind, unknown>> = {}
      for (const kind of kinds(info)) settings[kind] = await snapshot.setting({ name, row }, kind)
      return { info, settings: settings as Partial<SettingValues> }
    })
  }

  isFresh(): boolean {
    const { requests, tracked } = this.#scope
    const { changes, state } = requests.owner
    if (changes === undefined || this.#since === undefined || state === 'closed') return false
    for (let i = this.#keys.length; i < tracked.length; i++) {
      const read = tracked[i]
      // For a range, no single key shows whether its first row changed.
      if (read === undefined || !('key' in read)) return false
      this.#keys.push(bytesOfString(read.key))
    }
    for (const key of this.#keys) if (changes.isTouchedSince(key, this.#since)) return false
    return true
  }
}
