/** The projections of one opened store: those that run in this process, and what is stored of all. */
import { isStorageError, type StorageError } from '../base/errors.ts'
import type { FollowingEngine } from '../following/following-engine.ts'
import type { StoreWork } from '../following/subscription-set.ts'
import { KeyspaceHolder } from '../keyspaces/keyspace-holder.ts'
import { removeRows } from '../keyspaces/commit-rows.ts'
import { earlierRange } from '../keyspaces/keyspace-keys.ts'
import type { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import type { Seq } from '../ports/index.ts'
import { newerProjection, otherDefinition, projectionClosed } from './projection-errors.ts'
import {
  type FoundProjection,
  foundProjections,
  droppedHeader,
  projectionKeyspace,
  storedOf,
  type StoredProjection,
} from './projection-keyspace.ts'
import { type AnyProjection, projectionReducer } from './projection-reducer.ts'
import { ProjectionRunner } from './projection-runner.ts'

/** One version of a projection that a store has. */
export interface ProjectionInfo {
  readonly name: string
  readonly version: number
  /** The states follow the log up to this position. */
  readonly cursor: Seq
  /** The number of events in the log after the cursor. */
  readonly lag: number
  /** `building` until the version has reached the end of the log once. */
  readonly state: 'building' | 'ready'
}

/** A version that runs in this process. */
interface Running {
  readonly name: string
  /** The object that the caller passed: the same one again shares the run. */
  readonly definition: unknown
  readonly runner: Promise<ProjectionRunner>
  readonly end: AbortController
  users: number
  /** Settles when nothing more is committed. Absent for a store that is read-only. */
  run?: Promise<void>
}

/** The use of a projection by one caller. */
export interface ProjectionUse {
  readonly runner: ProjectionRunner
  /** The last user ends the run. Resolves when nothing more is committed. Idempotent. */
  close(): Promise<void>
}

export class ProjectionSet {
  readonly #engine: FollowingEngine
  readonly #keyspaces: KeyspaceSet
  readonly #work: StoreWork
  /** By the names of keyspaces. */
  readonly #running = new Map<string, Running>()

  constructor(engine: FollowingEngine, keyspaces: KeyspaceSet, work: StoreWork) {
    this.#engine = engine
    this.#keyspaces = keyspaces
    this.#work = work
  }

  /**
   * @throws StorageError `InvalidRequest` if another definition of this version is open; `UnsupportedFormat` if a higher
   * version is stored; what opening a keyspace throws
   */
  async open(definition: unknown, projection: AnyProjection): Promise<ProjectionUse> {
    this.#engine.assertOpen()
    const key = projectionKeyspace(projection.name, projection.version)
    const running = this.#running.get(key) ?? this.#start(key, definition, projection)
    if (running.definition !== definition) throw otherDefinition(projection.name)
    running.users++
    const runner = await running.runner
    let isClosed = false
    return {
      runner,
      close: async () => {
        if (isClosed) return
        isClosed = true
        await this.#leave(key, running)
      },
    }
  }

  /** By name and then by version. @throws StorageError `RowCorrupt` */
  async list(): Promise<readonly ProjectionInfo[]> {
    const { ports, writer } = this.#engine
    this.#engine.assertOpen()
    await this.#engine.fresh()
    const stored = storedOf(ports.hashing, await foundProjections(ports.journal))
    return stored.map(({ name, version, header: { cursor, state } }) => ({
      name,
      version,
      cursor,
      lag: Math.max(0, writer.committed - cursor),
      state: state === 'ready' ? 'ready' : 'building',
    }))
  }

  /** Removes all versions of a projection, also damaged ones. Those that run in this process fail. */
  async drop(name: string): Promise<void> {
    await this.#drop(name, Number.POSITIVE_INFINITY, this.#work.signal)
    for (const [key, running] of this.#running) {
      if (running.name !== name) continue
      this.#running.delete(key)
      running.end.abort(projectionClosed(name))
      await running.runner.then(
        (runner) => runner.drop(),
        () => undefined,
      )
    }
  }

  #start(key: string, definition: unknown, projection: AnyProjection): Running {
    const end = new AbortController()
    const opening = this.#opened(key, projection, AbortSignal.any([this.#work.signal, end.signal]))
    const runner = this.#work.during(opening.then(({ runner: opened }) => opened))
    const running: Running = { name: projection.name, definition, runner, end, users: 0 }
    this.#running.set(key, running)
    opening.then(
      ({ run }) => Object.assign(running, { run }),
      () => this.#running.delete(key),
    )
    return running
  }

  async #opened(
    key: string,
    projection: AnyProjection,
    signal: AbortSignal,
  ): Promise<{ readonly runner: ProjectionRunner; readonly run: Promise<void> | undefined }> {
    const engine = this.#engine
    const { name, version } = projection
    const stored = storedOf(engine.ports.hashing, await this.#versionsOf(name))
    const highest = stored.at(-1)
    if (highest !== undefined && highest.version > version) throw newerProjection(name, highest.version, version)
    const reducer = projectionReducer(projection)
    const reopen = (ending: AbortSignal) => this.#keyspaces.open(key, version, reducer, ending)
    const holder = await reopen(signal)
    const older = holder.header.state === 'ready' ? undefined : await this.#answering(stored, version, signal)
    const replace = (ending: AbortSignal) => this.#drop(name, version, ending)
    const runner = new ProjectionRunner({ name, engine, reducer, holder, older, reopen, replace })
    const refusal = refusalOf(engine)
    if (refusal === undefined) return { runner, run: this.#work.during(runner.run(signal)) }
    runner.end(refusal)
    return { runner, run: undefined }
  }

  /** The highest version below `version` that has reached the end of the log once. */
  async #answering(
    stored: readonly StoredProjection[],
    version: number,
    signal: AbortSignal,
  ): Promise<KeyspaceHolder | undefined> {
    const found = stored.findLast((one) => one.version < version && one.header.state === 'ready')
    return found && KeyspaceHolder.open(this.#engine, found.keyspace, found.version, signal)
  }

  async #versionsOf(name: string): Promise<readonly FoundProjection[]> {
    return (await foundProjections(this.#engine.ports.journal)).filter((one) => one.name === name)
  }

  /** Removes the versions below `version`. */
  async #drop(name: string, version: number, signal: AbortSignal): Promise<void> {
    const { hashing } = this.#engine.ports
    for (const one of await this.#versionsOf(name)) {
      if (one.version >= version) continue
      const dropped = droppedHeader(hashing, one)
      if (dropped === undefined) await this.#keyspaces.drop(one.keyspace, signal)
      // A process that dropped it may have been killed before its rows were gone.
      else await removeRows(this.#engine, one.keyspace, earlierRange(one.keyspace, dropped.epoch), signal)
    }
  }

  async #leave(key: string, running: Running): Promise<void> {
    if (--running.users > 0) return
    if (this.#running.get(key) === running) this.#running.delete(key)
    running.end.abort(projectionClosed(running.name))
    await running.run
    ;(await running.runner).close()
  }
}

/** Why nothing can be followed. */
function refusalOf(engine: FollowingEngine): StorageError | undefined {
  try {
    engine.assertWritable()
    return undefined
  } catch (error) {
    if (isStorageError(error)) return error
    throw error
  }
}
