/** The keyspaces of one opened store: which there are, and the reducers that this process registered. */
import { isStorageError } from '../base/errors.ts'
import type { KeyspaceEngine } from './keyspace-engine.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import { commitRows, removeRows } from './commit-rows.ts'
import { decodeHeader, type KeyspaceHeader, type KeyspaceState, readHeader, storedHeader } from './header.ts'
import { KeyspaceHolder } from './keyspace-holder.ts'
import { earlierRange, headerKey, isProgramName, placeOf, wholeRange } from './keyspace-keys.ts'
import type { LinkedReducer, VersionedReducer } from './reducer.ts'
import { walkHeaders } from './walk-headers.ts'

/** A keyspace that a store has. */
export interface KeyspaceInfo {
  readonly name: string
  /** The version of the code that made its rows. */
  readonly version: number
  /** It follows the log up to this position. */
  readonly cursor: Seq
  /** `building` until it has reached the end of the log once. */
  readonly state: KeyspaceState
}

/** A reducer, and the holder that applies it. */
interface Registered extends VersionedReducer {
  readonly holder: KeyspaceHolder
}

interface Own extends VersionedReducer {
  readonly name: string
}

export class KeyspaceSet {
  readonly #engine: KeyspaceEngine
  readonly #registered = new Map<string, Registered>()

  readonly #own: ReadonlyMap<string, VersionedReducer>

  /** `own`: the reducers of the store itself, by the names of their keyspaces. */
  constructor(engine: KeyspaceEngine, own: ReadonlyMap<string, VersionedReducer> = new Map()) {
    this.#engine = engine
    this.#own = own
  }

  /** By name: what `verify` can compute again. */
  get reducers(): ReadonlyMap<string, VersionedReducer> {
    return new Map([...this.#own, ...this.#registered])
  }

  /** The last reducer that is registered for a name counts. */
  async open(
    name: string,
    version: number,
    reducer: LinkedReducer | undefined,
    signal: AbortSignal,
  ): Promise<KeyspaceHolder> {
    const holder = await KeyspaceHolder.open(this.#engine, name, version, signal)
    if (reducer !== undefined) this.#registered.set(name, { version, reducer, holder })
    return holder
  }

  /** Those of programs. */
  async list(): Promise<readonly KeyspaceInfo[]> {
    const { journal, hashing } = this.#engine.ports
    this.#engine.assertOpen()
    const infos: KeyspaceInfo[] = []
    for await (const { name, frame } of walkHeaders(journal)) {
      if (frame === undefined || !isProgramName(name)) continue
      const { version, cursor, state } = decodeHeader(hashing, name, frame)
      if (state !== 'dropped') infos.push({ name, version, cursor, state })
    }
    return infos
  }

  /** Removes the keyspace of a holder. Its reducer no longer counts. */
  dropHeld(holder: KeyspaceHolder, signal: AbortSignal): Promise<void> {
    if (this.#registered.get(holder.name)?.holder === holder) this.#registered.delete(holder.name)
    return holder.drop(signal)
  }

  /** Removes a keyspace, also one that cannot be opened because its header is damaged. */
  async drop(name: string, signal: AbortSignal): Promise<void> {
    const engine = this.#engine
    const { journal, hashing } = engine.ports
    engine.assertOpen()
    engine.assertWritable()
    const key = headerKey(name)
    const frame = await journal.get(key)
    const last = await this.#lastEpoch(name, frame)
    this.#registered.delete(name)
    if (last === undefined) return
    const header: KeyspaceHeader = { version: 0, epoch: last + 1, cursor: 0, state: 'dropped', revision: 1 }
    const rows = [{ key, value: storedHeader(hashing, name, header).frame }]
    await commitRows(engine, { name, expected: { key, value: frame ?? null }, rows })
    await removeRows(engine, name, earlierRange(name, header.epoch), signal)
  }

  /** Computes all keyspaces with a registered reducer again. One failure does not stop the others. */
  async rebuild(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (const [name, { version, reducer }] of this.#own) {
      await this.#openOwn({ name, version, reducer }, signal).catch((error: unknown) => failures.push(error))
    }
    for (const { holder, reducer } of this.#registered.values()) {
      await holder.rebuild(reducer, signal).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Registers a keyspace of the store if it is there. A damaged one is removed: it is made again when it is needed. */
  async #openOwn({ name, version, reducer }: Own, signal: AbortSignal): Promise<void> {
    const { journal, hashing } = this.#engine.ports
    if (this.#registered.has(name)) return
    try {
      const found = await readHeader(journal, hashing, name)
      if (found === undefined || found.header.state === 'dropped') return
      await this.open(name, version, reducer, signal)
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt', 'AcknowledgedWritesLost')) throw error
      await this.drop(name, signal)
    }
  }

  /** The highest epoch of the header and the rows; `undefined` if there is nothing. */
  async #lastEpoch(name: string, frame: Uint8Array | undefined): Promise<number | undefined> {
    const { journal, hashing } = this.#engine.ports
    const inRows = await lastEpochIn(journal, name)
    try {
      return frame === undefined ? inRows : Math.max(decodeHeader(hashing, name, frame).epoch, inRows ?? 0)
    } catch (error) {
      if (isStorageError(error, 'RowCorrupt')) return inRows
      throw error
    }
  }
}

/** Keys that no row can have are skipped. */
async function lastEpochIn(rows: RowReader, name: string): Promise<number | undefined> {
  const cursor = rows.cursor({ ...wholeRange(name), reverse: true })
  try {
    for (;;) {
      const [last] = await cursor.next(1)
      const place = last && placeOf(last[0])
      if (last === undefined || place !== undefined) return place?.epoch
    }
  } finally {
    await cursor.close()
  }
}
