/** The batches of a subscription, in log order, one at a time. */
import { onAbort } from '../base/on-abort.ts'
import { unlessAborted } from '../content/interruptible.ts'
import { readLogPages } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { eventFilter } from './event-filter.ts'
import type { FollowingEngine } from './following-engine.ts'
import { awaitedCommit } from './next-commit.ts'
import type { SubscriptionHolder } from './subscription-holder.ts'

/** Events of a subscription, in log order. */
export interface SubscriptionBatch {
  /** Those that match the filter; at least one. */
  readonly events: readonly RecordedEvent[]
  /** The first position that the batch covers. */
  readonly from: Seq
  /** The last position that the batch covers. Events between `from` and `to` that are missing do not match. */
  readonly to: Seq
  /**
   * Moves the cursor of the subscription to `to`, durable when it resolves. A second call changes nothing.
   * @throws StorageError `SubscriptionLost` when another holder has taken the subscription, or the iteration has ended;
   * `NoSpace` when the disk is nearly full: then call it again
   */
  acknowledge(): Promise<void>
}

/** A run of events that do not match, from this length on, is passed before the next batch is delivered. */
const runMin = 100

/** A batch ends with the event that reaches this length: it waits in memory until the subscriber has taken it. */
const batchBytes = 128 * 1024

export interface Walk {
  readonly engine: FollowingEngine
  readonly holder: SubscriptionHolder
  readonly batchMax: number
  /** Ends the walk, without an error. */
  readonly signal: AbortSignal
}

/** Ends without an error when the signal aborts. @throws StorageError `SubscriptionLost`, `LogCorrupt` */
export async function* walkBatches(walk: Walk): AsyncGenerator<SubscriptionBatch> {
  const { holder } = walk
  const signal = AbortSignal.any([walk.signal, holder.lostSignal])
  try {
    for (;;) {
      holder.resume()
      const { batch, acknowledged } = await nextBatch({ ...walk, signal })
      holder.rest()
      yield batch
      await unlessAborted(signal)(acknowledged)
    }
  } catch (error) {
    if (holder.loss !== undefined) throw holder.loss
    if (!walk.signal.aborted) throw error
  }
}

async function nextBatch(walk: Walk): Promise<Delivery> {
  const { engine, holder, signal } = walk
  let next = holder.cursor + 1
  for (;;) {
    signal.throwIfAborted()
    await engine.fresh()
    const { events, scanned } = await nextEvents(walk, next)
    const [first] = events
    if (first !== undefined) {
      if (first.seq - 1 > holder.cursor) await holder.pass(first.seq - 1, first.seq - 1 - holder.cursor >= runMin)
      await holder.renew()
      return delivery(holder, events, scanned)
    }
    if (scanned > holder.cursor) await holder.pass(scanned, engine.ports.timer === undefined)
    await holder.renew()
    next = scanned + 1
    await waitForMore(walk, next)
  }
}

interface FoundEvents {
  readonly events: readonly RecordedEvent[]
  /** The last position that was looked at. */
  readonly scanned: Seq
}

/** The next events that match, up to the present end of the log. */
async function nextEvents({ engine, holder, batchMax, signal }: Walk, from: Seq): Promise<FoundEvents> {
  const { writer } = engine
  const matches = eventFilter(holder.row.filter)
  const events: RecordedEvent[] = []
  let scanned = from - 1
  let bytes = 0
  if (from > writer.committed) return { events, scanned }
  const end = writer.committed
  // At first only as many as a batch may have: a journal reads a thousand events ahead, and the next thousand meanwhile.
  for (let span = batchMax; scanned < end; span *= 2) {
    for await (const page of readLogPages(engine.pacedLog, { from: scanned + 1, to: Math.min(end, scanned + span) })) {
      for (const { event, size } of page) {
        scanned = event.seq
        if (!matches(event)) continue
        bytes += size
        if (events.push(event) >= batchMax || bytes >= batchBytes) return { events, scanned }
      }
      signal.throwIfAborted()
      if (events.length === 0) await holder.pass(scanned, false)
    }
  }
  return { events, scanned }
}

interface Delivery {
  readonly batch: SubscriptionBatch
  readonly acknowledged: Promise<void>
}

function delivery(holder: SubscriptionHolder, events: readonly RecordedEvent[], to: Seq): Delivery {
  let settle: (() => void) | undefined
  const acknowledged = new Promise<void>((resolve) => {
    settle = resolve
  })
  let acknowledging: Promise<void> | undefined
  const acknowledge = async (): Promise<void> => {
    try {
      await (acknowledging ??= holder.acknowledge(to))
      settle?.()
    } catch (error) {
      acknowledging = undefined
      throw error
    }
  }
  return { batch: Object.freeze({ events, from: holder.cursor + 1, to, acknowledge }), acknowledged }
}

/** Resolves when position `next` is committed, or something has to be written. @throws the reason of the signal */
async function waitForMore({ engine, holder, signal }: Walk, next: Seq): Promise<void> {
  const { timer } = engine.ports
  const ms = holder.idleMs
  if (timer === undefined || ms === undefined) return awaitedCommit(engine, next, signal)
  // Not `AbortSignal.any`: a signal that lives long keeps what is derived from it in some releases of Node.
  const ended = new AbortController()
  const abort = (): void => ended.abort(signal.reason)
  const unlisten = onAbort(signal, abort)
  const waits = [awaitedCommit(engine, next, ended.signal), timer.pause(ms, ended.signal)]
  try {
    await Promise.race(waits)
  } finally {
    unlisten()
    ended.abort()
    await Promise.allSettled(waits)
  }
}
