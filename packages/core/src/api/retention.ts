/** How long the bytes of removed versions stay: stated in the log, for the store and for each bucket. */
import type { Engine } from '../engine/engine.ts'
import type { Seq } from '../ports/index.ts'
import { type ByteRetention, byteRetention } from '../settings/byte-retention.ts'
import { Retentions } from '../retention/retentions.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { bucketNamed } from '../reads/bucket-named.ts'
import { findEvent } from '../requests/request-engine.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { object, optional } from '../schema/structures.ts'
import { committedRows } from '../views/row-reader.ts'
import { name, optionsOf } from './arguments/common.ts'

/** The retention that counts now, and where it is stated. */
export interface RetentionState extends ByteRetention {
  /** `bucket`: its own. `store`: that of the whole store. `opening`: the log states none, so the options count. */
  readonly statedBy: 'bucket' | 'store' | 'opening'
  /** The event that states it. Its actor is who chose it. */
  readonly since?: Seq
}

/** Narrows a call to one bucket. */
export interface OfBucket {
  /** @default the whole store */
  readonly bucket?: string
}

/** Reads and changes the retention of removed bytes. Each change is an event with its actor. */
export interface StoreRetention {
  /** @throws StorageError `NoSuchBucket` */
  get(options?: OfBucket): Promise<RetentionState>
  /**
   * States a retention. A longer one protects what is still there; a shorter one lets the next sweep erase what it makes
   * due, which cannot be undone.
   * @throws StorageError `NoSuchBucket`; `InvalidArgument` for invalid values, and for a budget of one bucket
   */
  set(retention: ByteRetention, options?: OfBucket): Promise<RetentionState>
  /** The bucket follows the store again. @throws StorageError `NoSuchBucket` */
  remove(options: Required<OfBucket>): Promise<RetentionState>
}

export const ofBucket = object<OfBucket>({ bucket: optional(name) })
export const inBucket = object<Required<OfBucket>>({ bucket: name })

export function storeRetention(engine: Engine, context: StoreContext): StoreRetention {
  const state = async (bucket: string | undefined): Promise<RetentionState> => {
    engine.assertOpen()
    return engine.withSnapshot(async (reader) => {
      const rows = committedRows(reader, engine.ports.hashing)
      const retentions = await Retentions.load(rows, engine.options.retentionMs)
      const own = bucket === undefined ? undefined : retentions.stated((await bucketNamed(rows, bucket)).incarnation)
      const stated = own ?? retentions.stated(wholeStore)
      if (stated === undefined) return { keepMs: engine.options.retentionMs, statedBy: 'opening' }
      return { ...stated, statedBy: own === undefined ? 'store' : 'bucket' }
    })
  }

  const submit = async (bucket: string | undefined, retention: ByteRetention | null) => {
    const data = { ...(bucket !== undefined && { bucket }), retention }
    return findEvent(await engine.requests.submit('SetRetention', data, context), 'RetentionSet')
  }

  // What a change answers is not read again: the next command may have changed it, or the store may be closing.
  return {
    get: async (options) => state(optionsOf(ofBucket, options).bucket),
    async set(given, options) {
      const { bucket } = optionsOf(ofBucket, options)
      const retention = checked('retention', byteRetention, given)
      engine.assertWritable()
      const event = await submit(bucket, retention)
      if (event === undefined) return state(bucket)
      return { ...retention, statedBy: bucket === undefined ? 'store' : 'bucket', since: event.seq }
    },
    async remove(options) {
      const { bucket } = checked('options', inBucket, options)
      engine.assertWritable()
      const ofStore = await state(undefined)
      return (await submit(bucket, null)) === undefined ? state(bucket) : ofStore
    },
  }
}
