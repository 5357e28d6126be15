/** How long the bytes of removed versions stay: stated in the log, for the store and for each bucket. */
import type { Engine } from '../engine/engine.ts'
import { assertOfBucket, assertOfStore } from '../decide/set-retention.ts'
import { erasedUnder } from '../jobs/erased-under.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import { type ByteRetention, byteRetention, longestOf } from '../settings/byte-retention.ts'
import { Retentions } from '../retention/retentions.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { bucketNamed } from '../reads/bucket-named.ts'
import { findEvent } from '../requests/request-engine.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked, type Schema } from '../schema/schema.ts'
import { integer } from '../schema/scalars.ts'
import { object, optional } from '../schema/structures.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import { name, optionsOf } from './arguments/common.ts'

/** The retention that is stated now, and where. */
export interface RetentionState extends ByteRetention {
  /** `bucket`: its own. `store`: that of the whole store. `opening`: the log states none, so the options count. */
  readonly statedBy: 'bucket' | 'store' | 'opening'
  /** The event that states it. Its actor is who chose it. */
  readonly since?: Seq
  /** What was stated before and still protects bytes, until when. Absent: the grace period is over, or there was none. */
  readonly before?: ByteRetention & { readonly until: Date }
}

/** Narrows a call to one bucket. */
export interface OfBucket {
  /** @default the whole store */
  readonly bucket?: string
}

/** How a retention is changed. */
export interface RetentionChange {
  /** How long what counted before still protects the bytes that it keeps longer, in milliseconds. @default 0: it counts at once */
  readonly graceMs?: number
}

/** What a change of the retention erases. */
export interface RetentionPlan {
  /** It keeps some bytes for a shorter time, or in less room, than what counts now. */
  readonly isShorter: boolean
  /** What sweeps erase because of it, up to the end of the grace period, if nothing else is removed. */
  readonly erases: { readonly contents: number; readonly bytes: number }
}

/** Reads and changes the retention of removed bytes. Each change is an event with its actor. */
export interface StoreRetention {
  /** @throws StorageError `NoSuchBucket` */
  get(options?: OfBucket): Promise<RetentionState>
  /**
   * States a retention. A longer one protects what is still there; a shorter one lets sweeps erase what it makes
   * due, which cannot be undone: see `plan` and `graceMs`.
   * @throws StorageError `NoSuchBucket`; `InvalidArgument` for invalid values, and for a budget of one bucket
   */
  set(retention: ByteRetention, options?: OfBucket & RetentionChange): Promise<RetentionState>
  /** The bucket follows the store again. @throws StorageError `NoSuchBucket` */
  remove(options: Required<OfBucket> & RetentionChange): Promise<RetentionState>
  /**
   * Counts what `set` would let go, or, for `null`, `remove`. It reads all that is kept.
   * @throws as `set`
   */
  plan(retention: ByteRetention | null, options?: OfBucket & RetentionChange): Promise<RetentionPlan>
}

export const ofBucket = object<OfBucket>({ bucket: optional(name) })
const grace = { graceMs: optional(integer({ min: 0 })) }
export const changeOfBucket = object<OfBucket & RetentionChange>({ bucket: optional(name), ...grace })
export const changeInBucket = object<Required<OfBucket> & RetentionChange>({ bucket: name, ...grace })
export const plannedRetention: Schema<ByteRetention | null> = {
  read: (value) => (value === null ? null : byteRetention.read(value)),
  accepts: (value) => value === null || byteRetention.accepts(value),
}

interface Stating {
  readonly bucket: string | undefined
  readonly retention: ByteRetention | null
  readonly graceMs: number
}

export function storeRetention(engine: Engine, context: StoreContext): StoreRetention {
  const read = async <R>(ask: (reader: RowReader, rows: Rows, now: Retentions) => Promise<R>): Promise<R> => {
    engine.assertOpen()
    return engine.withSnapshot(async (reader) => {
      const rows = committedRows(reader, engine.ports.hashing)
      return ask(reader, rows, await Retentions.load(rows, engine.options.retentionMs, engine.clock))
    })
  }
  const seqOf = async (rows: Rows, bucket: string | undefined): Promise<Seq> =>
    bucket === undefined ? wholeStore : (await bucketNamed(rows, bucket)).incarnation
  const state = (bucket: string | undefined): Promise<RetentionState> =>
    read(async (_reader, rows, now) => stateOf(now, await seqOf(rows, bucket)))

  // What a change answers is not read again: the next command may have changed it, or the store may be closing.
  const submit = async ({ bucket, retention, graceMs }: Stating): Promise<RetentionState> => {
    engine.assertWritable()
    const { prior, ofStore } = await read(async (_reader, rows, now) => ({
      prior: stateOf(now, await seqOf(rows, bucket)),
      ofStore: stateOf(now, wholeStore),
    }))
    const data = { ...(bucket !== undefined && { bucket }), retention, graceMs }
    const event = findEvent(await engine.requests.submit('SetRetention', data, context), 'RetentionSet')
    if (event === undefined) return prior
    const { before: _before, ...followed } = ofStore
    const stated = retention && { ...retention, statedBy: statedFor(bucket), since: event.seq }
    return { ...(stated ?? followed), ...(graceMs > 0 && graceOf(prior, bucket, event.at + graceMs)) }
  }

  return {
    get: async (options) => state(optionsOf(ofBucket, options).bucket),
    async set(given, options) {
      const { bucket, graceMs = 0 } = optionsOf(changeOfBucket, options)
      return submit({ bucket, retention: checked('retention', byteRetention, given), graceMs })
    },
    async remove(options) {
      const { bucket, graceMs = 0 } = checked('options', changeInBucket, options)
      return submit({ bucket, retention: null, graceMs })
    },
    async plan(given, options) {
      const { bucket, graceMs = 0 } = optionsOf(changeOfBucket, options)
      const retention = checked('retention', plannedRetention, given)
      if (bucket === undefined) assertOfStore(retention)
      else assertOfBucket(retention)
      return read(async (reader, rows, now) => {
        const of = await seqOf(rows, bucket)
        const next = now.with(of, retention)
        const erases = await erasedUnder(engine, reader, { now, next, afterMs: graceMs })
        return { isShorter: isShorter(now, next, of), erases }
      })
    },
  }
}

const statedFor = (bucket: string | undefined): RetentionState['statedBy'] =>
  bucket === undefined ? 'store' : 'bucket'

/** What counted before a change. */
function graceOf(prior: RetentionState, bucket: string | undefined, until: number): Pick<RetentionState, 'before'> {
  if (prior.statedBy === 'opening') return {}
  const { keepMs, budget } = longestOf([prior, ...(prior.before ? [prior.before] : [])])
  return { before: { keepMs, ...(bucket === undefined && budget && { budget }), until: new Date(until) } }
}

function stateOf(now: Retentions, of: Seq): RetentionState {
  const own = now.stated(of)
  const stated = own ?? now.stated(wholeStore)
  const counting = now.before(of) ?? (own === undefined ? now.before(wholeStore) : undefined)
  const before = counting && {
    keepMs: counting.keepMs,
    ...(counting.budget && { budget: counting.budget }),
    until: new Date(counting.at + counting.graceMs),
  }
  if (stated === undefined) return { keepMs: now.unsetMs, statedBy: 'opening' }
  const { keepMs, budget, since } = stated
  const statedBy = own === undefined || of === wholeStore ? 'store' : 'bucket'
  return { keepMs, ...(budget && { budget }), statedBy, since, ...(before && { before }) }
}

function isShorter(now: Retentions, next: Retentions, of: Seq): boolean {
  if (next.keepMs(of) < now.keepMs(of)) return true
  const { bytes = Number.POSITIVE_INFINITY, percent = 100 } = next.budget ?? {}
  const { bytes: bytesNow = Number.POSITIVE_INFINITY, percent: percentNow = 100 } = now.budget ?? {}
  return bytes < bytesNow || percent < percentNow
}
