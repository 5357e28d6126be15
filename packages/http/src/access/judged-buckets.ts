/** Buckets as requests read them. All decisions of a request use one read. */

import type { BucketInfo, ReadSet, RequestStore } from '@varve/core'
import { BucketAccessReader } from './bucket-access.ts'
import type { BucketAccess } from './decide-access.ts'

export interface JudgedBucket {
  readonly access: BucketAccess
  readonly settings: BucketInfo['settings']
}

/** A bucket as it was read, and the read set of that read. */
export interface ReadBucket {
  readonly bucket: JudgedBucket
  readonly readSet: ReadSet
  /** Whether no commit can have changed the bucket since it was read. */
  isFresh(): boolean
}

const rememberedMax = 4096

/** Reads buckets for requests. Reuses a bucket if no commit can have changed it since it was read. */
export class JudgedBuckets {
  readonly #reader = new BucketAccessReader()
  readonly #read = new Map<string, ReadBucket>()

  /** The bucket from an earlier read, if it is unchanged. */
  known(name: string): ReadBucket | undefined {
    const read = this.#read.get(name)
    return read?.isFresh() === true ? read : undefined
  }

  /** @throws StorageError `NoSuchBucket` */
  async read(store: Pick<RequestStore, 'tracking'>, name: string): Promise<ReadBucket> {
    const readSet: ReadSet[number][] = []
    const reads = store.tracking(readSet)
    const { info, access } = await this.#reader.read(reads, name)
    const read = { bucket: { access, settings: info.settings }, readSet, isFresh: () => reads.isFresh() }
    if (this.#read.size >= rememberedMax) this.#read.clear()
    this.#read.set(name, read)
    return read
  }
}
