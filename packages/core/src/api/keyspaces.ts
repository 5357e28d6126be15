/** The keyspaces of a store: rows that a program derives from the log, kept in the journal beside the views. */
import type { Jobs } from '../jobs/jobs.ts'
import type { KeyspaceHolder } from '../keyspaces/keyspace-holder.ts'
import { walkPages, readRows } from '../keyspaces/keyspace-reader.ts'
import type { KeyspaceInfo, KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import type { KeyspaceState } from '../keyspaces/header.ts'
import { checkedKey } from '../keyspaces/limits.ts'
import type { Reducer } from '../keyspaces/reducer.ts'
import { StorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import { checked } from '../schema/schema.ts'
import { atCall } from './arguments/at-call.ts'
import { cancelable, optionsOf } from './arguments/common.ts'
import {
  keyspaceCommit,
  keyspaceKeys,
  keyspaceName,
  keyspaceOptions,
  keyspaceRangeOptions,
} from './arguments/keyspace-options.ts'
import type { Cancelable, KeyspaceCommit, KeyspaceOptions, KeyspaceRangeOptions, KeyspaceRow } from './types/index.ts'

/**
 * One opened keyspace. Calls that write run one after another. Another holder may open and change the same keyspace:
 * then every call that depends on the old state is refused with `KeyspaceConflict`, and the keyspace must be opened
 * again.
 */
export interface Keyspace {
  readonly name: string
  readonly version: number
  /** The position in the log that the rows follow, as far as this holder knows. */
  readonly cursor: Seq
  /** `building` until the cursor has reached the end of the log once. */
  readonly state: KeyspaceState
  /** @throws StorageError `KeyspaceConflict`, `RowCorrupt` */
  get(key: Uint8Array): Promise<Uint8Array | undefined>
  /** The values of one committed state, in the order of the keys. @throws as `get` does */
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>
  /** The rows of one committed state, in the order of the bytes of their keys. @throws as `get` does */
  range(options?: KeyspaceRangeOptions): AsyncIterable<KeyspaceRow>
  /**
   * Changes rows and moves the cursor, all or nothing, durable when it resolves. The cursor cannot move backwards.
   * @throws StorageError `KeyspaceConflict` when another holder was first, and nothing was changed
   */
  commit(commit: KeyspaceCommit): Promise<void>
  /**
   * Applies the events between the cursor and the end of the log to the reducer, in groups. If this ends early, for any
   * reason, the next call continues. Resolves with the cursor.
   * @throws StorageError `KeyspaceFailed` when the reducer throws: the cursor is then before that event
   * @throws StorageError `KeyspaceConflict`; `InvalidRequest` without a reducer; the reason of `signal`
   */
  follow(options?: Cancelable): Promise<Seq>
  /** Removes all rows and moves the cursor to 0. */
  clear(): Promise<void>
  /** Removes the keyspace. Every later call of this holder is refused. */
  drop(): Promise<void>
}

/** Opens, lists and removes keyspaces. */
export interface Keyspaces {
  /**
   * Opens a keyspace. If it is not there, it begins empty, at cursor 0. If it is there with a lower version, its rows
   * are removed and it begins again.
   * @throws StorageError `UnsupportedFormat` (`details.kind` is `keyspace`) when it is there with a higher version;
   * `RowCorrupt` when its header is damaged; `AcknowledgedWritesLost` (`details.kind` is `keyspace`) when the log ends
   * before its cursor; `ReadOnly` when a store that is read-only would have to begin it
   */
  open(name: string, options: KeyspaceOptions): Promise<Keyspace>
  /** All keyspaces, in the order of their names. */
  list(): Promise<readonly KeyspaceInfo[]>
  /** Removes a keyspace, also one whose header is damaged. Does nothing if there is none. */
  drop(name: string): Promise<void>
}

export const keyspaces = (set: KeyspaceSet, jobs: Jobs): Keyspaces => ({
  async open(name, options) {
    const { version, reducer } = checked('options', keyspaceOptions, options)
    const holder = set.open(checked('name', keyspaceName, name), version, reducer, jobs.signal)
    return keyspace(await jobs.during(holder), { set, reducer, jobs })
  },
  list: () => set.list(),
  drop: async (name) => jobs.during(set.drop(checked('name', keyspaceName, name), jobs.signal)),
})

const pageMax = 256

interface Opening {
  readonly set: KeyspaceSet
  readonly reducer: Reducer | undefined
  readonly jobs: Jobs
}

const keyspace = (holder: KeyspaceHolder, { set, reducer, jobs }: Opening): Keyspace => ({
  name: holder.name,
  version: holder.header.version,
  get cursor() {
    return holder.header.cursor
  },
  get state() {
    return holder.header.state === 'ready' ? 'ready' : 'building'
  },
  get: async (key) => (await readRows(holder, [checkedKey(key)]))[0],
  getMany: async (keys) => readRows(holder, checked('keys', keyspaceKeys, keys)),
  range: (options) =>
    rows(
      holder,
      atCall(() => optionsOf(keyspaceRangeOptions, options)),
    ),
  async commit(commit) {
    const { to, changes } = checked('commit', keyspaceCommit, commit)
    return jobs.during(holder.commit(to, changes))
  },
  async follow(options) {
    const signal = jobs.signalWith(optionsOf(cancelable, options).signal)
    if (reducer === undefined) throw noReducer(holder.name)
    return jobs.during(holder.follow(reducer, signal))
  },
  clear: async () => jobs.during(holder.clear(jobs.signal)),
  drop: async () => jobs.during(set.dropHeld(holder, jobs.signal)),
})

async function* rows(holder: KeyspaceHolder, given: () => KeyspaceRangeOptions): AsyncGenerator<KeyspaceRow> {
  const { limit = Number.POSITIVE_INFINITY, signal, ...bounds } = given()
  let left = limit
  if (left === 0) return
  for await (const page of walkPages(holder, bounds, () => Math.min(left, pageMax))) {
    for (const [key, value] of page) {
      signal?.throwIfAborted()
      yield { key, value }
    }
    left -= page.length
    if (left === 0) return
  }
}

const noReducer = (name: string): StorageError =>
  new StorageError('InvalidRequest', `The keyspace ${name} was opened without a reducer.`)
