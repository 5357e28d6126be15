/** Named moments whose bytes stay. */
import { type Soon, soonOrFailed } from '../base/soon.ts'
import type { Engine } from '../engine/engine.ts'
import type { Actor, RecordedEvent } from '../events/index.ts'
import type { Moment } from '../moments/moment.ts'
import { isSnapshotName, noSuchSnapshot } from '../moments/snapshot-name.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { findEvent } from '../requests/request-engine.ts'
import { StorageError } from '../base/errors.ts'
import { checked } from '../schema/schema.ts'
import { object, optional } from '../schema/structures.ts'
import { committedRows, type KeyedRow } from '../views/row-reader.ts'
import type { SnapshotRow } from '../views/rows.ts'
import { snapshotTable } from '../views/tables.ts'
import { moment, name as anyName, optionsOf } from './arguments/common.ts'

/** A snapshot: a name for a position of the log. Its name is a moment: `store.at(name)`. */
export interface SnapshotInfo {
  readonly name: string
  /** The position of the state that it names. */
  readonly seq: Seq
  /** The only bucket whose bytes it keeps. Absent: it keeps those of all buckets. */
  readonly bucket?: string
  readonly createdAt: Date
  readonly createdBy: Actor
  /**
   * True if all bytes of that state were there when the snapshot was created, so that all of it stays readable. False: some
   * bytes may have been erased before, and their reads fail with `ObjectErased`.
   */
  readonly complete: boolean
}

/** What a new snapshot names and keeps. */
export interface SnapshotOptions {
  /** @default the state after the last event that is committed before the snapshot */
  readonly at?: Moment
  /** Keeps the bytes of this bucket alone. Bytes that it shares with others by copies are among them. @default all buckets */
  readonly bucket?: string
}

/** Creates and deletes snapshots. While a snapshot exists, nothing that was visible at its position is erased. */
export interface Snapshots {
  /**
   * Names a state and keeps its bytes. The cost does not depend on how many there are. A name has 1 to 20 of a-z and 0-9 with
   * single hyphens between them, and begins with a letter. A store has at most 1000 snapshots.
   * @throws StorageError `InvalidArgument` for a name that snapshots cannot have; `SnapshotExists`; `TooManySnapshots`;
   *   `NoSuchBucket` if the bucket did not exist then; what `at` throws for the moment
   */
  create(name: string, options?: SnapshotOptions): Promise<SnapshotInfo>
  /** All snapshots, in the order of their names. */
  list(): Promise<readonly SnapshotInfo[]>
  /** @throws StorageError `NoSuchSnapshot` */
  get(name: string): Promise<SnapshotInfo>
  /**
   * Removes the name. What the snapshot alone kept is erased later, by the retention that counts for it.
   * @throws StorageError `NoSuchSnapshot`
   */
  delete(name: string): Promise<void>
}

export const snapshotOptions = object<SnapshotOptions>({ at: optional(moment), bucket: optional(anyName) })

export function storeSnapshots(engine: Engine, context: StoreContext): Snapshots {
  const { hashing } = engine.ports

  const rowOf = (name: string): Soon<SnapshotRow | undefined> =>
    engine.withSnapshot((reader) => committedRows(reader, hashing).get(snapshotTable.key(name)))

  return {
    async create(given, options) {
      const name = newName(given)
      const { at, bucket } = optionsOf(snapshotOptions, options)
      engine.assertWritable()
      engine.assertOpen()
      const position = at === undefined ? undefined : await engine.positionOf(at)
      const optional = { ...(position !== undefined && { position }), ...(bucket !== undefined && { bucket }) }
      const event = findEvent(
        await engine.requests.submit('CreateSnapshot', { name, ...optional }, context),
        'SnapshotCreated',
      )
      if (event === undefined) throw new StorageError('InternalError', 'The command left no snapshot.')
      // The snapshot may be gone already, or the store may be closing.
      const row = await soonOrFailed(
        () => rowOf(name),
        () => undefined,
      )
      return infoOf(name, row?.since === event.seq ? row : rowFrom(event))
    },
    async list() {
      engine.assertOpen()
      const rows = await engine.withSnapshot((reader) =>
        committedRows(reader, hashing).all<SnapshotRow>(snapshotTable.range),
      )
      return rows.map(({ key, row }: KeyedRow<SnapshotRow>) => infoOf(snapshotTable.name(key), row))
    },
    async get(given) {
      const name = checked('name', anyName, given)
      engine.assertOpen()
      const row = await rowOf(name)
      if (row === undefined) throw noSuchSnapshot(name)
      return infoOf(name, row)
    },
    async delete(given) {
      const name = checked('name', anyName, given)
      engine.assertWritable()
      await engine.requests.submit('DeleteSnapshot', { name }, context)
    },
  }
}

function newName(given: unknown): string {
  const name = checked('name', anyName, given)
  if (isSnapshotName(name)) return name
  throw new StorageError(
    'InvalidArgument',
    'The name of a snapshot has 1 to 20 of a-z and 0-9 with single hyphens between them, begins with a letter, and is neither a word for a time nor an ending that S3 reserves.',
    { details: { ArgumentName: 'name' } },
  )
}

/** Whether it was complete is not known any more. */
const rowFrom = ({ seq, at, by, data: { position = seq, bucket } }: RecordedEvent<'SnapshotCreated'>) => ({
  position,
  at,
  by,
  ...(bucket !== undefined && { bucket }),
})

type Described = Omit<SnapshotRow, 'since' | 'of'>

const infoOf = (name: string, { position, bucket, at, by, complete }: Described): SnapshotInfo => ({
  name,
  seq: position,
  ...(bucket !== undefined && { bucket }),
  createdAt: new Date(at),
  createdBy: by,
  complete: complete === true,
})
