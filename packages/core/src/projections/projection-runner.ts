/**
 * Keeps one version of a projection up to date in the background: catches up with the log, then follows new commits. Each
 * commit changes states and cursor together. While the version is built, the rows of an older one answer.
 */
import { isStorageError, type StorageError } from '../base/errors.ts'
import { keyspaceConflict } from '../keyspaces/commit-rows.ts'
import { readHeader } from '../keyspaces/header.ts'
import type { KeyspaceHolder } from '../keyspaces/keyspace-holder.ts'
import type { Seq } from '../ports/index.ts'
import type { Reducer } from '../keyspaces/reducer.ts'
import type { FollowingEngine } from '../following/following-engine.ts'
import { nextCommit } from '../following/next-commit.ts'
import { projectionClosed, projectionFailed } from './projection-errors.ts'

/** Milliseconds until the next attempt while the disk is nearly full. */
const retryMs = 1000

/**
 * `building` until the version has reached the end of the log once; `failed` after an error; `closed` after the last user of
 * the projection has closed it.
 */
export type ProjectionState = 'building' | 'ready' | 'failed' | 'closed'

export interface RunnerParts {
  readonly name: string
  readonly engine: FollowingEngine
  readonly reducer: Reducer
  readonly holder: KeyspaceHolder
  /** The version that answers until this one is ready. */
  readonly older: KeyspaceHolder | undefined
  /** Opens the keyspace of this version again. */
  readonly reopen: (signal: AbortSignal) => Promise<KeyspaceHolder>
  /** Removes the older versions. Called when this one is ready. */
  readonly replace: (signal: AbortSignal) => Promise<void>
}

interface Waiter {
  readonly seq: Seq
  resolve(): void
  reject(error: unknown): void
}

export class ProjectionRunner {
  readonly #parts: RunnerParts
  readonly #waiters = new Set<Waiter>()
  #holder: KeyspaceHolder
  #older: KeyspaceHolder | undefined
  #isReplaced = false
  #failure: StorageError | undefined
  /** Why the log is no longer followed, without a failure. */
  #end: StorageError | undefined
  #isClosed = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#holder = parts.holder
    this.#older = parts.older
  }

  /** The keyspace that answers. */
  get answering(): KeyspaceHolder {
    return this.#older !== undefined && this.#holder.header.state !== 'ready' ? this.#older : this.#holder
  }

  get state(): ProjectionState {
    if (this.#failure !== undefined) return 'failed'
    if (this.#isClosed) return 'closed'
    return this.#holder.header.state === 'ready' ? 'ready' : 'building'
  }

  /** Why the projection stopped. */
  get error(): StorageError | undefined {
    return this.#failure
  }

  /** Resolves when this version has applied the events up to `seq`. @throws the failure; `InvalidRequest` when closed */
  caughtUp(seq: Seq): Promise<void> {
    if (this.#holder.header.cursor >= seq) return Promise.resolve()
    const end = this.#failure ?? this.#end
    if (end !== undefined) return Promise.reject(end)
    return new Promise((resolve, reject) => this.#waiters.add({ seq, resolve, reject }))
  }

  /** Follows the log until the signal aborts or the projection fails. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#failure === undefined) {
      try {
        const cursor = await this.#holder.follow(this.#parts.reducer, signal, () => this.#settleWaiters())
        this.#settleWaiters()
        if (this.state === 'ready') await this.#replaceOlder(signal)
        await nextCommit(this.#parts.engine, cursor + 1, signal)
      } catch (error) {
        await this.#goOnAfter(error, signal)
      }
    }
    if (this.#failure === undefined) this.end(signal.reason as StorageError)
  }

  /** The log is no longer followed, for a reason that is no failure. Reads go on. */
  end(reason: StorageError): void {
    this.#end = reason
    this.#rejectWaiters(reason)
  }

  /** The keyspace was dropped. */
  drop(): void {
    this.#fail(keyspaceConflict(this.#parts.name))
  }

  /** The last user of the projection has closed it. */
  close(): void {
    this.#isClosed = true
    this.end(projectionClosed(this.#parts.name))
  }

  async #replaceOlder(signal: AbortSignal): Promise<void> {
    this.#older = undefined
    if (this.#isReplaced) return
    await this.#parts.replace(signal)
    this.#isReplaced = true
  }

  /** Repeats what another holder or a full disk prevented. Everything else stops the projection. */
  async #goOnAfter(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    try {
      if (isStorageError(error, 'KeyspaceConflict')) await this.#reopen(signal)
      else if (isStorageError(error, 'NoSpace')) await this.#waitForRoom(signal)
      else throw error
    } catch (fatal) {
      if (!signal.aborted) this.#fail(projectionFailed(this.#parts.name, fatal))
    }
  }

  /** Another holder of this version was first. A version that was dropped is not begun again. */
  async #reopen(signal: AbortSignal): Promise<void> {
    const { name } = this.#holder
    const { journal, hashing } = this.#parts.engine.ports
    const found = await readHeader(journal, hashing, name)
    if (found === undefined || found.header.state === 'dropped') throw keyspaceConflict(name)
    this.#holder = await this.#parts.reopen(signal)
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    const { engine } = this.#parts
    const { timer } = engine.ports
    await (timer?.pause(retryMs, signal) ?? nextCommit(engine, engine.writer.committed + 1, signal))
  }

  #fail(error: StorageError): void {
    this.#failure = error
    this.#rejectWaiters(error)
  }

  #settleWaiters(): void {
    const { cursor } = this.#holder.header
    for (const waiter of this.#waiters) {
      if (waiter.seq > cursor) continue
      this.#waiters.delete(waiter)
      waiter.resolve()
    }
  }

  #rejectWaiters(error: StorageError): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#waiters.clear()
  }
}
