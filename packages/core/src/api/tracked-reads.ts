/** Reads for authorisation: they record the rows that they read. */
import { bytesOfString } from '../bytes/bytes.ts'
import type { UploadInfo, UploadRef } from './types/index.ts'
import { type ReadBuckets, readBuckets } from './buckets.ts'
import type { Tracked, ReadScope } from '../requests/read-scope.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { type ReadObjects, readObjects } from './read-objects.ts'
import { headUpload } from './uploads.ts'

export interface TrackedReads {
  readonly buckets: Pick<ReadBuckets, 'head' | 'settings'>
  readonly objects: Pick<ReadObjects, 'annotations'>
  readonly uploads: { head(upload: UploadRef): Promise<UploadInfo> }
  /**
   * Whether no commit can have changed what was read, since before it was. Asked without a wait; false where one would have
   * to look, as always in another process than the owner's.
   */
  isFresh(): boolean
}

/** Parts are created when they are first used: most requests read a bucket alone. */
export class TrackingReads implements TrackedReads {
  readonly #scope: ReadScope & { readonly tracked: Tracked }
  readonly #since: number | undefined
  readonly #keys: Uint8Array[] = []
  #buckets: ReadBuckets | undefined
  #objects: ReadObjects | undefined

  constructor(requests: RequestEngine, into: Tracked) {
    this.#scope = { requests, tracked: into }
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

  isFresh(): boolean {
    const { requests, tracked } = this.#scope
    const { changes, state } = requests.owner
    if (changes === undefined || this.#since === undefined || state === 'closed') return false
    for (let i = this.#keys.length; i < tracked.length; i++) {
      const read = tracked[i]
      // No single key shows whether a range has another first row.
      if (read === undefined || !('key' in read)) return false
      this.#keys.push(bytesOfString(read.key))
    }
    for (const key of this.#keys) if (changes.isTouchedSince(key, this.#since)) return false
    return true
  }
}
