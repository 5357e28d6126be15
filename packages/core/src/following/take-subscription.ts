/** Takes a subscription: waits until no other holder has it, and raises its epoch. */
import { isStorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { readHeader } from '../keyspaces/header.ts'
import { KeyspaceHolder } from '../keyspaces/keyspace-holder.ts'
import { readRows } from '../keyspaces/keyspace-reader.ts'
import type { Moment } from '../moments/moment.ts'
import { positionOrStart } from '../moments/position-or-start.ts'
import type { Seq } from '../ports/index.ts'
import type { EventFilter } from './event-filter.ts'
import type { FollowingEngine } from './following-engine.ts'
import { otherFilter, subscriptionHeld } from './subscription-errors.ts'
import { leaseExpiry, SubscriptionHolder } from './subscription-holder.ts'
import {
  isSameFilter,
  readSubscriptionRow,
  subscriptionChange,
  subscriptionKey,
  subscriptionKeyspace,
  type SubscriptionRow,
  subscriptionVersion,
} from './subscription-row.ts'

/** Milliseconds between two attempts to take a subscription that has another holder. */
const retryMs = 200

export interface SubscriptionRequest {
  readonly name: string
  readonly from: Moment
  /** Absent: the stored one, or all events. */
  readonly filter?: EventFilter | undefined
  readonly replace: boolean
  /** Absent: as it is, or false for a new one. */
  readonly keepBytes?: boolean | undefined
  readonly leaseMs: number
}

export interface Taking {
  readonly engine: FollowingEngine
  readonly request: SubscriptionRequest
  /** The holders in this process, by the ids that rows have. The new one is added before its row can be read. */
  readonly local: Map<string | null, SubscriptionHolder>
  readonly signal: AbortSignal
}

/**
 * @throws StorageError `SubscriptionConflict`; `LeaseHeld` if it has another holder and the store has no timer to wait
 * with; what opening a keyspace and finding a moment throw; the reason of the signal
 */
export async function takeSubscription(taking: Taking): Promise<SubscriptionHolder> {
  const { engine, signal } = taking
  const silence = new Silence(engine)
  await assertStart(taking)
  for (;;) {
    signal.throwIfAborted()
    const found = await findSubscription(taking)
    if (found.row === undefined || !(await isHeld(taking, found.row, silence, found.keyspace))) {
      const holder = await tryTake(taking, found)
      if (holder !== undefined) return holder
    } else {
      const { timer } = engine.ports
      if (timer === undefined) throw subscriptionHeld(taking.request.name)
      await timer.pause(retryMs, signal)
    }
  }
}

/** A new subscription that cannot begin leaves nothing behind. */
async function assertStart({ engine, request }: Taking): Promise<void> {
  const { journal, hashing } = engine.ports
  const found = await readHeader(journal, hashing, subscriptionKeyspace(request.name))
  if (found === undefined || found.header.state === 'dropped') await positionOrStart(engine, request.from)
}

interface Found {
  readonly keyspace: KeyspaceHolder
  /** Absent for a new subscription. */
  readonly row: SubscriptionRow | undefined
}

async function findSubscription({ engine, request, signal }: Taking): Promise<Found> {
  const { name, filter, replace } = request
  const keyspace = await KeyspaceHolder.open(engine, subscriptionKeyspace(name), subscriptionVersion, signal)
  const [value] = await readRows(keyspace, [subscriptionKey])
  const row = value && readSubscriptionRow(name, value)
  if (row !== undefined && filter !== undefined && !replace && !isSameFilter(filter, row.filter))
    throw otherFilter(name)
  return { keyspace, row }
}

/** `undefined` if another holder was first. */
async function tryTake(taking: Taking, { keyspace, row: before }: Found): Promise<SubscriptionHolder | undefined> {
  const { engine, request, local } = taking
  const { name } = request
  const { cursor } = keyspace.header
  const at = before === undefined ? await startOf(taking, cursor) : cursor
  const row = await takenRow(taking, before)
  const holder = new SubscriptionHolder({ name, engine, keyspace, row, at })
  local.set(row.holder, holder)
  try {
    await keyspace.commit(at, [subscriptionChange(row)])
  } catch (error) {
    local.delete(row.holder)
    if (isStorageError(error, 'KeyspaceConflict')) return undefined
    throw error
  }
  if (before !== undefined) local.get(before.holder)?.lose()
  return holder
}

async function takenRow({ engine, request }: Taking, before: SubscriptionRow | undefined): Promise<SubscriptionRow> {
  const { leaseMs, filter = before?.filter ?? {}, keepBytes = before?.keepsBytes === true } = request
  const expires = await leaseExpiry(engine, leaseMs)
  return {
    filter,
    ...(keepBytes && { keepsBytes: true }),
    epoch: (before?.epoch ?? 0) + 1,
    holder: engine.ports.ids.next(),
    leaseMs,
    ...(expires !== undefined && { expires }),
  }
}

const startOf = async ({ engine, request }: Taking, cursor: Seq): Promise<Seq> =>
  Math.max(cursor, await positionOrStart(engine, request.from))

/** Whether the lease of a row lasts. One that an earlier opening of an exclusive journal had has ended. */
async function isHeld(
  { engine, local }: Taking,
  row: SubscriptionRow,
  silence: Silence,
  { stored }: KeyspaceHolder,
): Promise<boolean> {
  if (row.holder === null) return false
  const here = local.get(row.holder)
  if (here !== undefined) return here.isActive
  return engine.sharing.isShared && !(await silence.isOver(row, stored.frame))
}

/**
 * Judges leases of other engines: by the journal's clock, if it has one and has not been set back. Otherwise by the time
 * for which the lease was seen unchanged, because no clock of another machine is trusted.
 */
class Silence {
  readonly #engine: FollowingEngine
  #seen: { readonly frame: Uint8Array; readonly since: number } | undefined

  constructor(engine: FollowingEngine) {
    this.#engine = engine
  }

  async isOver({ expires, leaseMs }: SubscriptionRow, frame: Uint8Array): Promise<boolean> {
    const { journal, clock } = this.#engine.ports
    const left = expires === undefined ? undefined : expires - ((await journal.now?.()) ?? Number.NaN)
    if (left !== undefined && left <= leaseMs) return left < 0
    const now = clock.monotonic()
    if (this.#seen !== undefined && sameBytes(this.#seen.frame, frame)) return now - this.#seen.since > leaseMs
    this.#seen = { frame, since: now }
    return false
  }
}
