/** What all parts of a plan of an undo share: the rows, and what is planned so far. */
import type { UndoConflict, UndoEntry, UndoResult } from '../api/types/index.ts'
import type { RevertingCommand } from '../commands/command.ts'
import type { EventType } from '../events/index.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { asOf } from '../reads/as-of.ts'
import { present } from '../reads/present.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import type { OtherEvent, Others, Touched, TouchedPlaces } from './touched-places.ts'

export type UndoCommand = RevertingCommand<
  'UndoKey' | 'RevertSetting' | 'RevertVersioning' | 'RestoreBucket' | 'RevertCreation'
>

export interface PlannedChange {
  readonly command: UndoCommand
  readonly entry: UndoEntry
}

export interface PlanOptions {
  /** Undoes chosen events also where others have changed the place since. */
  readonly force: boolean
  /** Now: for locks that would be set, and for locks that have ended. Milliseconds since the epoch. */
  readonly at: number
  readonly locks: number
  readonly signal: AbortSignal | undefined
  /** Awaited before each key, so that a long plan does not block other work of the process. */
  readonly turn: () => Promise<void> | undefined
}

export class Planning {
  readonly rows: Rows
  readonly options: PlanOptions
  readonly changes: PlannedChange[] = []
  readonly conflicts: UndoConflict[] = []
  readonly erased: UndoResult['erased'][number][] = []
  /** Buckets that come back, as they were when they were deleted. */
  readonly restored = new Map<string, BucketRow>()
  /** Buckets that are deleted in the end, with their incarnations. */
  readonly deleted = new Map<string, Seq>()
  readonly left: Map<EventType, number>
  readonly #reader: RowReader
  readonly #hashing: Hashing
  readonly #places: TouchedPlaces

  constructor(reader: RowReader, hashing: Hashing, places: TouchedPlaces, options: PlanOptions) {
    this.#reader = reader
    this.#hashing = hashing
    this.#places = places
    this.left = new Map(places.left)
    this.rows = committedRows(reader, hashing)
    this.options = options
  }

  /** The newest state. */
  get now(): ReadSnapshot {
    return present(this.#reader, this.rows, this.#hashing)
  }

  /** The state before an event. */
  before(seq: Seq): ReadSnapshot {
    return asOf(this.#reader, this.#hashing, seq - 1)
  }

  /** The bucket that has this name, or has it once the undo is done. */
  async bucketNow(name: string): Promise<BucketRow | undefined> {
    return this.restored.get(name) ?? this.rows.get(bucketTable.key(name))
  }

  /** Counts an event that nothing undoes. */
  leave(type: EventType): void {
    this.left.set(type, (this.left.get(type) ?? 0) + 1)
  }

  /**
   * The steps that can be undone: those after the last event of others. Notes a conflict for the rest. Others do not count
   * if they changed nothing in the end: someone undid what they did.
   */
  async usable<S extends { readonly seq: Seq }>(
    touched: Touched<S> & { readonly bucket: string },
    place: Pick<UndoConflict, 'bucket' | 'key' | 'setting'>,
    isNeutral: (others: Others) => Promise<boolean>,
  ): Promise<readonly S[]> {
    const { bucket, others, steps } = touched
    if (this.options.force) return steps
    const ofBucket = this.#places.othersOfBucket(bucket)
    const counting: OtherEvent[] = []
    if (others !== undefined && !(await isNeutral(others))) counting.push(others.last)
    if (ofBucket !== undefined && !(await this.isSameBucket(bucket, ofBucket))) counting.push(ofBucket.last)
    const [other] = counting.toSorted((a, b) => b.seq - a.seq)
    if (other === undefined) return steps
    const usable = steps.filter(({ seq }) => seq > other.seq)
    if (usable.length < steps.length) this.conflicts.push(changedBy(place, other))
    return usable
  }

  /** Whether a name has the same bucket after some events as before them. */
  async isSameBucket(bucket: string, { first, last }: Others): Promise<boolean> {
    const [before, after] = [this.before(first), this.before(last.seq + 1)]
    return (await before.bucket(bucket))?.incarnation === (await after.bucket(bucket))?.incarnation
  }
}

const changedBy = (
  place: Pick<UndoConflict, 'bucket' | 'key' | 'setting'>,
  { seq, at, by }: OtherEvent,
): UndoConflict => ({ ...place, reason: 'changed', seq, at: new Date(at), by })
