/**
 * One opened keyspace. Its commits expect the header that it knows, so of two holders that commit, the second one gets
 * `KeyspaceConflict`. Its writes run one after another.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import type { KeyspaceEngine } from './keyspace-engine.ts'
import type { RowChange, Seq } from '../ports/index.ts'
import { commitRows, keyspaceConflict, removeRows } from './commit-rows.ts'
import { type KeyspaceHeader, readHeader, type StoredHeader, storedHeader } from './header.ts'
import { earlierRange, headerKey, prefixOf } from './keyspace-keys.ts'
import type { ReadKeyspace } from './keyspace-reader.ts'
import { committedValues, storedChanges } from './keyspace-rows.ts'
import { type LinkedReducer, reduceLog } from './reducer.ts'

/** How often an opening is tried while other holders open the keyspace too. */
const attemptsMax = 5

export class KeyspaceHolder implements ReadKeyspace {
  readonly name: string
  readonly engine: KeyspaceEngine
  writing: Promise<unknown> | undefined
  /** `undefined` before the keyspace exists. */
  #stored: StoredHeader | undefined
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(engine: KeyspaceEngine, name: string, stored: StoredHeader | undefined) {
    this.engine = engine
    this.name = name
    this.#stored = stored
  }

  /**
   * Begins the keyspace, or a new epoch of it, unless it is there in this version. Removes the rows of earlier epochs.
   * @throws StorageError `UnsupportedFormat` when the stored version is higher; `AcknowledgedWritesLost` when the log
   * ends before the cursor; `RowCorrupt`; `ReadOnly`
   */
  static async open(
    engine: KeyspaceEngine,
    name: string,
    version: number,
    signal: AbortSignal,
  ): Promise<KeyspaceHolder> {
    for (let attempt = 1; ; attempt++) {
      engine.assertOpen()
      const { journal, hashing } = engine.ports
      const holder = new KeyspaceHolder(engine, name, await readHeader(journal, hashing, name))
      try {
        await holder.#begin(version)
      } catch (error) {
        if (isStorageError(error, 'KeyspaceConflict') && attempt < attemptsMax) continue
        throw error
      }
      await holder.#assertNotAhead()
      if (engine.failure === undefined) await holder.#removeLeftovers(signal)
      return holder
    }
  }

  get stored(): StoredHeader {
    return this.#stored as StoredHeader
  }

  get header(): KeyspaceHeader {
    return this.stored.header
  }

  /** @throws StorageError `InvalidArgument` for a position before the cursor or after the end of the log */
  commit(to: Seq, changes: readonly RowChange[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#assertHeld()
      await this.engine.fresh()
      const { cursor } = this.header
      const end = this.engine.writer.committed
      if (to < cursor || to > end) {
        const message = `The keyspace is at ${cursor} and the log ends at ${end}: it cannot move to ${to}.`
        throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'commit.to' } })
      }
      await this.#advance(to, changes)
    })
  }

  /**
   * As `commit`, but also while the store closes, and whatever room there is. The cursor does not move backwards, also if
   * `to` was overtaken by a commit before.
   * @throws StorageError `KeyspaceConflict`
   */
  commitLast(to: Seq, changes: readonly RowChange[]): Promise<void> {
    return this.#inTurn(async () => {
      const { header, engine, name } = this
      const rows = storedChanges(engine.ports.hashing, prefixOf(name, header.epoch), changes)
      await this.#write({ ...header, cursor: Math.max(to, header.cursor), revision: header.revision + 1 }, rows, true)
    })
  }

  /**
   * Applies the events up to the present end of the log. Resolves with the cursor. `onCommitted` is called after each
   * commit. @throws as `reduceLog` does
   */
  follow(reducer: LinkedReducer, signal: AbortSignal, onCommitted?: () => void): Promise<Seq> {
    return this.#inTurn(() => this.#follow(reducer, signal, onCommitted))
  }

  clear(signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      this.#assertHeld()
      await this.#write(nextEpoch(this.header, this.header.version))
      await this.#removeLeftovers(signal)
    })
  }

  /** Removes all rows. The header stays, so that epochs never repeat. */
  drop(signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      this.#assertHeld()
      await this.#write({ ...nextEpoch(this.header, this.header.version), state: 'dropped' })
      await this.#removeLeftovers(signal)
    })
  }

  /** Computes all rows again, unless the keyspace is no longer there in this version. */
  rebuild(reducer: LinkedReducer, signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      const { journal, hashing } = this.engine.ports
      const found = await readHeader(journal, hashing, this.name)
      if (found === undefined || found.header.state === 'dropped') return
      if (found.header.version !== this.header.version) return
      this.#stored = found
      await this.#write(nextEpoch(found.header, found.header.version))
      await this.#removeLeftovers(signal)
      await this.#follow(reducer, signal)
    })
  }

  async #begin(version: number): Promise<void> {
    const found = this.#stored?.header
    if (found === undefined) return this.#write({ version, epoch: 1, cursor: 0, state: 'building', revision: 1 })
    // A dropped keyspace has an empty epoch already.
    if (found.state === 'dropped') return this.#write({ ...nextEpoch(found, version), epoch: found.epoch })
    if (found.version > version) throw newerVersion(this.name, found.version, version)
    if (found.version < version) await this.#write(nextEpoch(found, version))
  }

  /** Events that the log has lost may be in the rows. The journal knows the end of the log also for other engines. */
  async #assertNotAhead(): Promise<void> {
    const { cursor } = this.header
    const head = await this.engine.ports.journal.head()
    if (cursor <= head) return
    const message = `The log ends at ${head}; the keyspace ${this.name} follows it up to ${cursor}: drop the keyspace.`
    const details = { kind: 'keyspace', keyspace: this.name, head, cursor }
    throw new StorageError('AcknowledgedWritesLost', message, { details })
  }

  async #follow(reducer: LinkedReducer, signal: AbortSignal, onCommitted?: () => void): Promise<Seq> {
    const { engine, name } = this
    signal.throwIfAborted()
    this.#assertHeld()
    await engine.fresh()
    const to = engine.writer.committed
    const { cursor, epoch } = this.header
    const { journal, hashing } = engine.ports
    const prefix = prefixOf(name, epoch)
    if (cursor < to) {
      await reduceLog({
        name,
        reducer,
        log: engine.pacedLog,
        from: cursor + 1,
        to,
        turns: engine.turns,
        signal,
        committed: committedValues(journal, hashing, prefix),
        commit: (done, changes) => this.#advance(done, changes, to).then(onCommitted),
      }).catch((error: unknown) => this.#failedOn(error))
    } else if (this.header.state === 'building') await this.#advance(cursor, [])
    return this.header.cursor
  }

  /** A reducer may have failed only because another holder was first, and it read rows that have its events already. */
  async #failedOn(error: unknown): Promise<never> {
    if (isStorageError(error, 'KeyspaceFailed')) {
      const { journal, hashing } = this.engine.ports
      const found = await readHeader(journal, hashing, this.name)
      if (found === undefined || !sameBytes(found.frame, this.stored.frame)) throw keyspaceConflict(this.name, error)
    }
    throw error
  }

  /** Moves the cursor together with the changes. Writes that go on do not move the end that makes the keyspace ready. */
  async #advance(cursor: Seq, changes: readonly RowChange[], end = this.engine.writer.committed): Promise<void> {
    const { header, engine } = this
    await engine.assertRoom()
    const isReady = header.state === 'ready' || cursor >= end
    const next = { ...header, cursor, state: isReady ? 'ready' : 'building', revision: header.revision + 1 } as const
    const prefix = prefixOf(this.name, header.epoch)
    await this.#write(next, storedChanges(engine.ports.hashing, prefix, changes))
  }

  async #write(header: KeyspaceHeader, rows: readonly RowChange[] = [], isLast = false): Promise<void> {
    const { engine, name } = this
    const key = headerKey(name)
    const next = storedHeader(engine.ports.hashing, name, header)
    const expected = { key, value: this.#stored?.frame ?? null }
    const writing = commitRows(engine, { name, expected, rows: [...rows, { key, value: next.frame }], isLast }).then(
      () => {
        this.#stored = next
      },
    )
    this.writing = writing
    try {
      await writing
    } finally {
      this.writing = undefined
    }
  }

  #removeLeftovers(signal: AbortSignal): Promise<void> {
    return removeRows(this.engine, this.name, earlierRange(this.name, this.header.epoch), signal)
  }

  /** @throws StorageError `KeyspaceConflict` after a drop */
  #assertHeld(): void {
    this.engine.assertOpen()
    this.engine.assertWritable()
    if (this.header.state === 'dropped') throw keyspaceConflict(this.name)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const outcome = this.#turn.then(work)
    this.#turn = outcome.catch(() => undefined)
    return outcome
  }
}

const nextEpoch = ({ epoch, revision }: KeyspaceHeader, version: number): KeyspaceHeader => ({
  version,
  epoch: epoch + 1,
  cursor: 0,
  state: 'building',
  revision: revision + 1,
})

const newerVersion = (name: string, stored: number, requested: number): StorageError =>
  new StorageError('UnsupportedFormat', `The keyspace ${name} has version ${stored}; this program has ${requested}.`, {
    details: { kind: 'keyspace', keyspace: name, version: stored },
  })
