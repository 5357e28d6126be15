/** The buckets of a request as they were read, once, for all that is judged on them. */

import type { BucketInfo, ReadSet, RequestStore } from '@varve/core'
import { BucketAccessReader } from './bucket-access.ts'
import type { BucketAccess } from './decide-access.ts'

export interface JudgedBucket {
  readonly access: BucketAccess
  readonly settings: BucketInfo['settings']
}

/** A bucket as it was read, and what it was read from. */
export interface ReadBucket {
  readonly bucket: JudgedBucket
  readonly readSet: ReadSet
  /** Whether no commit can have changed it since. */
  isFresh(): boolean
}

const rememberedMax = 4096

/** Reads buckets for requests. One that no commit can have changed since is given out again. */
export class JudgedBuckets {
  readonly #reader = new BucketAccessReader()
  readonly #read = new Map<string, ReadBucket>()

  /** One that was read before and is still the same. */
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
