/** The projections of a store: states that a program computes from the log, kept up to date in the background. */
import { isStorageError, StorageError } from '../base/errors.ts'
import { upperBound } from '../bytes/bytes.ts'
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts'
import type { Engine } from '../engine/engine.ts'
import { type KeyBounds, readRows, walkPages } from '../keyspaces/keyspace-reader.ts'
import type { Row, Seq } from '../ports/index.ts'
import type { Projection } from '../projections/projection.ts'
import { readState } from '../projections/projection-reducer.ts'
import type { ProjectionRunner, ProjectionState } from '../projections/projection-runner.ts'
import type { ProjectionInfo, ProjectionSet, ProjectionUse } from '../projections/projection-set.ts'
import { checked } from '../schema/schema.ts'
import { atCall } from './arguments/at-call.ts'
import { optionsOf } from './arguments/common.ts'
import { keyspaceName } from './arguments/keyspace-options.ts'
import { awaitedPosition, projectionRangeOptions, projectionSchema, stateKey } from './arguments/projection-options.ts'
import type { ProjectedState, ProjectionRangeOptions } from './types/index.ts'

/** One opened projection. It follows the log in the background until it is closed. */
export interface OpenProjection<S> {
  readonly name: string
  /** The version that answers. It is a lower one than that of the projection while the new one is built. */
  readonly version: number
  /** The states that answer follow the log up to this position, as far as this process knows. */
  readonly cursor: Seq
  /** The number of events in the log after the cursor. */
  readonly lag: number
  /** `building` until the version has reached the end of the log once; `failed` after an error, until it is opened again. */
  readonly state: ProjectionState
  /** Why the projection failed. Reads go on to answer the last states. */
  readonly error: StorageError | undefined
  /** The state of a key; `undefined` if there is none. @throws StorageError `RowCorrupt`, `KeyspaceConflict` when dropped */
  get(key?: string): Promise<S | undefined>
  /** States of one position in the log, in the order of their keys. @throws as `get` does */
  range(options?: ProjectionRangeOptions): AsyncIterable<ProjectedState<S>>
  /**
   * Resolves when the projection has applied all events up to a position, in its own version.
   * @param seq The position. @default the end of the log at the time of the call
   * @throws StorageError `MomentOutOfRange` for a position after the end of the log; `ProjectionFailed` or another failure of the projection; `InvalidRequest` when it was closed;
   * `StoreClosed`; `ReadOnly`
   */
  caughtUp(seq?: Seq): Promise<void>
  /** Ends the following of the log. Reads go on to answer. Idempotent. */
  close(): Promise<void>
}

/** Opens, lists and removes projections. */
export interface Projections {
  /**
   * Opens a projection and follows the log in the background. A higher version than the stored one is built beside it,
   * replaces it when it has reached the end of the log, and the old states are removed. The same object opened again
   * shares the work.
   * @throws StorageError `UnsupportedFormat` when a higher version is stored; `InvalidRequest` when another object of this
   * name and version is open; `RowCorrupt`; `AcknowledgedWritesLost` when the log ends before the cursor; `ReadOnly` when
   * a store that is read-only would have to begin it
   */
  open<S>(projection: Projection<S>): Promise<OpenProjection<S>>
  /** All stored versions of all projections, by name. */
  list(): Promise<readonly ProjectionInfo[]>
  /** Removes all versions of a projection. Does nothing if there is none. */
  drop(name: string): Promise<void>
}

/**
 * Checks a projection, and helps the compiler to find the type of its state.
 * @throws StorageError `InvalidArgument` for a wrong field, and for a handler of an event that there is not
 */
export function defineProjection<S>(projection: Projection<S>): Projection<S> {
  return checked('projection', projectionSchema, projection) as Projection<S>
}

export const projections = (engine: Engine, set: ProjectionSet): Projections => ({
  async open<S>(projection: Projection<S>): Promise<OpenProjection<S>> {
    const given = checked('projection', projectionSchema, projection)
    return openProjection<S>(engine, given.name, await set.open(projection, given))
  },
  list: () => set.list(),
  drop: async (name) => set.drop(checked('name', keyspaceName, name)),
})

const openProjection = <S>(engine: Engine, name: string, { runner, close }: ProjectionUse): OpenProjection<S> => ({
  name,
  get version() {
    return runner.answering.header.version
  },
  get cursor() {
    return runner.answering.header.cursor
  },
  get lag() {
    return Math.max(0, engine.writer.committed - runner.answering.header.cursor)
  },
  get state() {
    return runner.state
  },
  get error() {
    return runner.error
  },
  get: async (key = '') => readKey<S>(runner, encodeUtf8(checked('key', stateKey, key))),
  range: (options) =>
    states<S>(
      runner,
      atCall(() => optionsOf(projectionRangeOptions, options)),
    ),
  async caughtUp(seq) {
    const given = seq === undefined ? undefined : checked('seq', awaitedPosition, seq)
    engine.assertOpen()
    await engine.fresh()
    const end = engine.writer.committed
    if (given !== undefined && given > end) throw afterEnd(given, end)
    return runner.caughtUp(given ?? end)
  },
  close,
})

const afterEnd = (seq: Seq, end: Seq): StorageError =>
  new StorageError('MomentOutOfRange', `The log ends at ${end}: no event ${seq} can be waited for.`)

/** Reads again if the version that answers was replaced meanwhile. */
async function readKey<S>(runner: ProjectionRunner, key: Uint8Array): Promise<S | undefined> {
  for (;;) {
    const { answering } = runner
    try {
      const [value] = await readRows(answering, [key])
      return value && (readState(value) as S)
    } catch (error) {
      if (!isStorageError(error, 'KeyspaceConflict') || answering === runner.answering) throw error
    }
  }
}

const pageMax = 256

async function* states<S>(
  runner: ProjectionRunner,
  given: () => ProjectionRangeOptions,
): AsyncGenerator<ProjectedState<S>> {
  const { limit = Number.POSITIVE_INFINITY, signal, ...bounds } = given()
  let left = limit
  if (left === 0) return
  for await (const page of pagesOf(runner, boundsOf(bounds), () => Math.min(left, pageMax))) {
    for (const [key, value] of page) {
      signal?.throwIfAborted()
      yield { key: decodeUtf8(key), state: readState(value) as S }
    }
    left -= page.length
    if (left === 0) return
  }
}

/** Begins again if the version that answers was replaced before the first page. */
async function* pagesOf(
  runner: ProjectionRunner,
  bounds: KeyBounds,
  pageRows: () => number,
): AsyncGenerator<readonly Row[]> {
  for (let hasBegun = false; ; ) {
    const { answering } = runner
    try {
      for await (const page of walkPages(answering, bounds, pageRows)) {
        hasBegun = true
        yield page
      }
      return
    } catch (error) {
      if (hasBegun || !isStorageError(error, 'KeyspaceConflict') || answering === runner.answering) throw error
    }
  }
}

function boundsOf({ prefix = '', gte, lt, reverse }: ProjectionRangeOptions): KeyBounds {
  if (prefix !== '') {
    const first = encodeUtf8(prefix)
    return { gte: first, lt: upperBound(first), reverse }
  }
  return {
    ...(gte !== undefined && { gte: encodeUtf8(gte) }),
    ...(lt !== undefined && { lt: encodeUtf8(lt) }),
    reverse,
  }
}
