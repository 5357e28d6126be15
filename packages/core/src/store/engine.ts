/** What every part of the store's API shares: the ports, the writer turn, and who is reading what. */
import type { CommandShapes, CommandType, CommandMeta, Command } from '../commands/command.ts'
import { ActiveReads } from '../content/active-reads.ts'
import type { WrittenContent } from '../content/content-writer.ts'
import { discardContent, writeContent } from '../content/content-writer.ts'
import { isStorageError, StorageError } from '../errors.ts'
import type { EventType, RecordedEvent } from '../events/index.ts'
import type { BlobId, ByteSource, DigestAlgorithm, RowSnapshot } from '../ports/index.ts'
import { CommitWriter } from './commit-writer.ts'
import { Manifests } from '../content/manifests.ts'
import type { LogEnd } from './recorder.ts'
import { Recorder } from './recorder.ts'
import type { StorePorts } from './ports.ts'
import { WitnessKeeper } from './witness-keeper.ts'

export interface EngineOptions {
  readonly inlineMax: number
  readonly groupMax: number
  readonly retentionMs: number
}

/** What a medium says that failed, or a file system that met such a failure: it turns read-only, or shuts down. */
const outOfOrder: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'EUCLEAN', 'ENXIO', 'ENODEV'])

type CommitListener = (events: readonly RecordedEvent[]) => void

export class Engine {
  readonly ports: StorePorts
  readonly options: EngineOptions
  readonly writer: CommitWriter
  readonly reads = new ActiveReads()
  /** Blobs written and not yet part of the log. */
  readonly inFlight = new Set<BlobId>()
  readonly manifests: Manifests
  readonly #recorder: Recorder
  readonly #witness: WitnessKeeper
  readonly #listeners = new Set<CommitListener>()
  #closing: Promise<void> | undefined
  #lostViews: StorageError | undefined
  #rebuilding: Promise<void> | undefined

  constructor(ports: StorePorts, options: EngineOptions, end: LogEnd) {
    this.ports = ports
    this.options = options
    this.manifests = new Manifests((ask) => this.withSnapshot(ask), ports.hashing)
    this.#witness = new WitnessKeeper(ports)
    this.#recorder = new Recorder(ports.clock, ports.hashing, end)
    this.writer = new CommitWriter({
      journal: ports.journal,
      hashing: ports.hashing,
      recorder: this.#recorder,
      groupMax: options.groupMax,
      onCommitted: (events) => this.#publish(events),
    })
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  /** The time of the log: never before its last event, whatever the clock says. Milliseconds. */
  get now(): number {
    return Math.max(this.ports.clock.now(), this.#recorder.end.at)
  }

  /** @throws StorageError `StoreClosed`, or `StoreFailed` when there are no views to ask. */
  assertOpen(): void {
    if (this.closed) throw new StorageError('StoreClosed', 'The store is closed.')
    if (this.#lostViews !== undefined) throw this.#lostViews
  }

  /** The views are neither the old ones nor the new: nobody reads or writes until opening the store has made them. */
  loseViews(cause: unknown): void {
    this.#lostViews = this.writer.fail(cause)
  }

  /** Makes views anew while nobody commits, and nobody looks at half of them. */
  async rebuildViews(make: () => Promise<void>): Promise<void> {
    await this.writer.exclusively(async () => {
      const making = make()
      this.#rebuilding = making.catch(() => undefined)
      try {
        await making
      } finally {
        this.#rebuilding = undefined
      }
    })
  }

  /** Asks one committed state of the rows, with views that are whole. @throws StorageError `StoreFailed` when there are none. */
  async withSnapshot<R>(ask: (rows: RowSnapshot) => Promise<R>): Promise<R> {
    while (this.#rebuilding !== undefined) await this.#rebuilding
    if (this.#lostViews !== undefined) throw this.#lostViews
    const snapshot = this.ports.journal.snapshot()
    try {
      return await ask(snapshot)
    } finally {
      await snapshot.close()
    }
  }

  /** Listens to what is committed, in order; an empty list says that the store closed. Returns what ends it. */
  onCommitted(listener: CommitListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async submit<T extends CommandType>(
    type: T,
    data: CommandShapes[T],
    meta: CommandMeta,
    written?: WrittenContent,
  ): Promise<readonly RecordedEvent[]> {
    this.assertOpen()
    return this.writer.submit({ type, data, meta } as Command, written?.cargo)
  }

  /** Refuses what would grow the store while the medium is nearly full. @throws StorageError `NoSpace`. */
  async assertRoom(): Promise<void> {
    this.assertOpen()
    if (this.writer.failure !== undefined) throw this.writer.failure
    if (await this.ports.reserve?.exhausted()) {
      throw new StorageError('NoSpace', 'The medium is nearly full: writes that grow the store are refused.')
    }
  }

  /**
   * Writes bytes and gives them to `commit`, which names them in a command. If that is refused the bytes go at once;
   * if its outcome is unknown they stay, until opening the store again has told.
   */
  async withContent<R>(
    source: ByteSource,
    algorithms: readonly DigestAlgorithm[],
    signal: AbortSignal | undefined,
    commit: (written: WrittenContent) => Promise<R>,
  ): Promise<R> {
    await this.assertRoom()
    const written = await this.#write(source, algorithms, signal)
    try {
      signal?.throwIfAborted()
      const result = await commit(written)
      this.#settle(written)
      return result
    } catch (error) {
      // What cannot be discarded now is an orphan, which the sweep finds; the caller hears of the refusal.
      if (this.writer.failure === undefined) await this.#discard(written).catch(() => undefined)
      throw error
    }
  }

  /**
   * A medium that failed an I/O has to be looked at: the store stops taking writes. Failures that are only this
   * request's, such as too many open files, pass through.
   */
  condemn(error: unknown): unknown {
    if (!isStorageError(error, 'BlobFailed')) return error
    const { errno, kind } = error.details
    return outOfOrder.has(errno) || kind === 'directory' ? this.writer.fail(error) : error
  }

  /**
   * Waits for what is under way and writes the witness; the ports stay open. `lastWork` resolves when whoever commits
   * without being asked does so no more.
   */
  close(lastWork: () => Promise<void>): Promise<void> {
    return (this.#closing ??= this.#close(lastWork))
  }

  async #close(lastWork: () => Promise<void>): Promise<void> {
    await lastWork()
    await this.writer.idle()
    if (this.writer.failure === undefined) await this.#witness.close(this.#recorder.end)
    this.#publish([])
  }

  async #write(source: ByteSource, algorithms: readonly DigestAlgorithm[], signal: AbortSignal | undefined) {
    const { blobs, hashing, ids } = this.ports
    const options = { blobs, hashing, ids, inlineMax: this.options.inlineMax, inFlight: this.inFlight }
    try {
      return await writeContent(options, source, algorithms, signal)
    } catch (error) {
      throw this.condemn(error)
    }
  }

  #discard({ content }: WrittenContent): Promise<void> {
    return discardContent({ blobs: this.ports.blobs, inFlight: this.inFlight }, content)
  }

  #settle({ content }: WrittenContent): void {
    if (content.kind === 'blob') this.inFlight.delete(content.blob.id)
  }

  #publish(events: readonly RecordedEvent[]): void {
    if (events.length > 0) this.#witness.note(this.#recorder.end)
    for (const listener of this.#listeners) {
      try {
        listener(events)
      } catch (error) {
        // A commit stands whatever its listeners do: their errors surface as unhandled rejections, not here.
        void Promise.reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

/** The event of one type among those a command caused. */
export const findEvent = <T extends EventType>(
  events: readonly RecordedEvent[],
  type: T,
): RecordedEvent<T> | undefined => events.find((event) => event.type === type) as RecordedEvent<T> | undefined
