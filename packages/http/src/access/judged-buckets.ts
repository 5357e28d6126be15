/** Buckets as requests read them. All decisions of a request use one read. */

import {
  type BucketInfo,
  isStorageError,
  type PastStore,
  type ReadSet,
  type RequestStore,
  type Seq,
  type SettingKind,
  type SettingValues,
  type StorageError,
  type TrackedReads,
} from '@varve/core'
import { BucketAccessReader } from './bucket-access.ts'
import type { BucketAccess } from './decide-access.ts'

export interface JudgedBucket {
  readonly access: BucketAccess
  /** `undefined`: these are not known. */
  readonly settings: BucketInfo['settings']
}

/** A bucket as it was read, and the read set of that read. */
export interface ReadBucket {
  readonly bucket: JudgedBucket
  readonly readSet: ReadSet
  /** Whether no commit can have changed the bucket since it was read. */
  isFresh(): boolean
}

/** A bucket that does not exist, and the read set of that answer. */
export interface AbsentBucket extends Pick<ReadBucket, 'readSet' | 'isFresh'> {
  readonly absence: StorageError
}

export const isPresent = (read: ReadBucket | AbsentBucket): read is ReadBucket => 'bucket' in read

type Tracking = Pick<RequestStore, 'tracking'>

/** The past does not change, so several reads are of one state. */
const readsOf = ({ buckets }: PastStore): Pick<TrackedReads, 'bucket'> => ({
  async bucket(name, kinds) {
    const info = await buckets.head(name)
    const settings: Partial<Record<SettingKind, unknown>> = {}
    for (const kind of kinds(info)) settings[kind] = await buckets.settings.get(name, kind)
    return { info, settings: settings as Partial<SettingValues> }
  },
})

const noSettings = {}

const rememberedMax = 4096
/** One bucket can have any number of past states, each with a policy of its own. */
const pastMax = 256

function remember<T>(all: Map<string, T>, name: string, value: T, max = rememberedMax): void {
  if (all.size >= max) all.clear()
  all.set(name, value)
}

/** Reads buckets for requests. Reuses a bucket if no commit can have changed it since it was read. */
export class JudgedBuckets {
  readonly #reader = new BucketAccessReader()
  readonly #pastReader = new BucketAccessReader()
  readonly #read = new Map<string, ReadBucket>()
  readonly #absent = new Map<string, AbsentBucket>()
  /** By position and name. The past does not change. */
  readonly #past = new Map<string, BucketAccess>()

  /** The bucket from an earlier read, if it is unchanged. */
  known(name: string): ReadBucket | undefined {
    const read = this.#read.get(name)
    return read?.isFresh() === true ? read : undefined
  }

  /** @throws StorageError `NoSuchBucket` */
  async read(store: Tracking, name: string): Promise<ReadBucket> {
    const read = await this.find(store, name)
    if (isPresent(read)) return read
    throw read.absence
  }

  /** As `read`; the absence of a bucket is also bound to the state. */
  async find(store: Tracking, name: string): Promise<ReadBucket | AbsentBucket> {
    const known = this.known(name) ?? this.#absent.get(name)
    if (known?.isFresh() === true) return known
    const readSet: ReadSet[number][] = []
    const reads = store.tracking(readSet)
    const isFresh = () => reads.isFresh()
    try {
      const { info, access } = await this.#reader.read(reads, name)
      const read = { bucket: { access, settings: info.settings ?? noSettings }, readSet, isFresh }
      remember(this.#read, name, read)
      return read
    } catch (error) {
      if (!isStorageError(error, 'NoSuchBucket')) throw error
      const absent = { absence: error, readSet, isFresh }
      remember(this.#absent, name, absent)
      return absent
    }
  }

  /** The access settings of the bucket as of a position; `undefined` if it did not exist then. */
  async accessAt(store: Pick<RequestStore, 'at'>, name: string, at: Seq): Promise<BucketAccess | undefined> {
    const place = `${at} ${name}`
    const known = this.#past.get(place)
    if (known !== undefined) return known
    try {
      const { access } = await this.#pastReader.read(readsOf(await store.at(at)), name)
      remember(this.#past, place, access, pastMax)
      return access
    } catch (error) {
      if (isStorageError(error, 'NoSuchBucket')) return undefined
      throw error
    }
  }
}
