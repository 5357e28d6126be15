/** Computes the rows of a keyspace from events, with a function of the caller. */
import { StorageError } from '../base/errors.ts'
import { byteString } from '../bytes/bytes.ts'
import { unlessAborted } from '../content/interruptible.ts'
import type { RecordedEvent } from '../events/index.ts'
import { type LinkedEvent, type LogPorts, readLogPages } from '../events/log.ts'
import type { RowChange, Seq } from '../ports/index.ts'
import type { TurnTaking } from '../scheduling/turn-taking.ts'
import { checkedChange, checkedKey } from './limits.ts'

/** The rows of a keyspace as one event finds them, with the changes that were made before. */
export interface ReducerRows {
  /** The value under the key. Copy it before you change it. */
  get(key: Uint8Array): Promise<Uint8Array | undefined>
  put(key: Uint8Array, value: Uint8Array): void
  delete(key: Uint8Array): void
}

/**
 * Changes the rows of a keyspace for one event. The result may depend only on the event and the rows: `verify` and
 * `rebuild` call it again for the whole log and expect the same rows. All changes of one call are kept, or none.
 */
export type Reducer = (event: RecordedEvent, rows: ReducerRows) => void | Promise<void>

/** A reducer of the store itself, which also gets the hash that the next event has for this one. */
export type LinkedReducer = (event: RecordedEvent, rows: ReducerRows, hash: string) => void | Promise<void>

/** A reducer, and the version of the rows that it makes. */
export interface VersionedReducer {
  readonly version: number
  readonly reducer: LinkedReducer
}

export interface Reduction {
  readonly name: string
  readonly reducer: LinkedReducer
  readonly log: LogPorts
  readonly from: Seq
  readonly to: Seq
  /** The value that is committed under a key of the caller. */
  readonly committed: (key: Uint8Array) => Promise<Uint8Array | undefined>
  /** Commits the changes of the events up to `to`. */
  readonly commit: (to: Seq, changes: readonly RowChange[]) => Promise<void>
  readonly turns?: TurnTaking
  readonly signal?: AbortSignal | undefined
}

/** The most events, and about the most bytes of changes, of one commit. */
const groupEvents = 512
const groupBytes = 2 * 1024 * 1024

/**
 * Passes the events `from..to` to the reducer, and commits their changes in groups.
 * @throws StorageError `KeyspaceFailed` when the reducer throws, after the changes of all earlier events were
 * committed; what reading the log and the rows throws; the reason of `signal`
 */
export async function reduceLog(reduction: Reduction): Promise<void> {
  const { name, reducer, log, from, to, commit, turns, signal } = reduction
  let group = new Group(reduction)
  let done = from - 1
  const flush = async (): Promise<void> => {
    if (group.events === 0) return
    const { changes } = group
    group = new Group(reduction)
    await commit(done, changes)
  }
  for await (const page of readLogPages(log, { from, to })) {
    for (const decoded of page) {
      const { seq } = decoded.event
      signal?.throwIfAborted()
      turns?.spend(1)
      const turn = turns?.wait()
      if (turn !== undefined) await turn
      const failure = await group.take(reducer, decoded)
      if (failure !== undefined) {
        await flush()
        throw reducerFailed(name, seq, failure.cause)
      }
      done = seq
      if (group.isFull) await flush()
    }
  }
  await flush()
}

/** The changes of events that are committed together. */
class Group {
  events = 0
  readonly #committed: Reduction['committed']
  readonly #signal: AbortSignal | undefined
  readonly #changes = new Map<string, RowChange>()
  #bytes = 0

  constructor({ committed, signal }: Reduction) {
    this.#committed = committed
    this.#signal = signal
  }

  get isFull(): boolean {
    return this.events >= groupEvents || this.#bytes >= groupBytes
  }

  get changes(): readonly RowChange[] {
    return [...this.#changes.values()]
  }

  /**
   * Adds the changes of one event, or returns the error of the reducer and adds nothing.
   * @throws what reading a row throws; the reason of the signal
   */
  async take(reducer: LinkedReducer, { event, hash }: LinkedEvent): Promise<{ readonly cause: unknown } | undefined> {
    const rows = new EventRows((name, key) => this.#find(name, key))
    try {
      const pending = reducer(event, rows.shown, hash)
      if (pending !== undefined) await unlessAborted(this.#signal)(Promise.resolve(pending))
    } catch (cause) {
      this.#signal?.throwIfAborted()
      if (rows.fault === undefined) return { cause }
    } finally {
      rows.isOver = true
    }
    if (rows.fault !== undefined) throw rows.fault.cause
    this.events++
    for (const [name, change] of rows.changes) {
      this.#changes.set(name, change)
      this.#bytes += change.key.length + (change.value?.length ?? 0)
    }
    return undefined
  }

  #find(name: string, key: Uint8Array): Promise<Uint8Array | undefined> {
    const change = this.#changes.get(name)
    return change === undefined ? this.#committed(key) : Promise.resolve(change.value?.slice())
  }
}

/** What the reducer may use during one call. */
class EventRows {
  readonly changes = new Map<string, RowChange>()
  isOver = false
  /** The error of a read, even if the reducer ignored it: its changes are then based on nothing. */
  fault: { readonly cause: unknown } | undefined
  readonly shown: ReducerRows

  constructor(find: (name: string, key: Uint8Array) => Promise<Uint8Array | undefined>) {
    const change = (key: unknown, value: unknown): void => {
      if (this.isOver) throw new TypeError('The reducer has ended: await all its work before it returns.')
      const checked = checkedChange(key, value)
      this.changes.set(byteString(checked.key), checked)
    }
    this.shown = {
      get: async (given) => {
        const key = checkedKey(given)
        const name = byteString(key)
        const own = this.changes.get(name)
        if (own !== undefined) return own.value?.slice()
        try {
          return await find(name, key)
        } catch (cause) {
          this.fault ??= { cause }
          throw cause
        }
      },
      put: (key, value) => change(key, value),
      delete: (key) => change(key, null),
    }
  }
}

function reducerFailed(name: string, seq: Seq, cause: unknown): StorageError {
  const message = `The reducer of the keyspace ${name} failed at event ${seq}.`
  return new StorageError('KeyspaceFailed', message, { details: { keyspace: name, seq }, cause })
}
