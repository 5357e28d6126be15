/** The background work of a store, as its options request it. */
import type { ClockStatus, Jobs, Store, StoreHome } from '@varve/core'
import { checkUnread, type UnreadLog } from '../jobs/check-unread.ts'
import { expireIdleReads, type IdleReads } from '../jobs/idle-reads.ts'
import { applyEveryDay, type LifecycleSchedule } from '../jobs/lifecycle-schedule.ts'
import { observeTime } from '../jobs/observe-time.ts'
import { rest } from '../jobs/rest.ts'
import { scrubAgainAndAgain, type ScrubSchedule } from '../jobs/scrub-schedule.ts'
import type { Cursor } from '../webhooks/cursor.ts'
import { deliver, deliveryDefaults } from '../webhooks/deliver.ts'
import { noteJobs } from './jobs-of.ts'
import type { Webhook } from '../webhooks/webhook.ts'

export interface BackgroundOptions {
  /** Called when the state of the clock changes. */
  readonly onClock?: ((status: ClockStatus) => void) | undefined
  /** How often due bytes are erased, in milliseconds; 0 for never. */
  readonly sweepEveryMs: number
  /** How long bodies may stay unread. */
  readonly idleReads: IdleReads
  /** Whether to remove blobs that no event names, once after opening. @default false */
  readonly sweepOrphans?: boolean
  /** When lifecycle rules are applied; absent: only by a call. */
  readonly lifecycle?: LifecycleSchedule
  /** The webhooks that receive notifications, each with the position that it has reached. */
  readonly webhooks?: readonly { readonly webhook: Webhook; readonly cursor: Cursor }[]
  /** When to scrub; absent: never. */
  readonly scrub?: ScrubSchedule
  /** Files that the opening did not read. */
  readonly unread?: UnreadLog | undefined
}

type Background = NonNullable<StoreHome['background']>

export function backgroundOf(options: BackgroundOptions): Background {
  const { onClock, sweepEveryMs, idleReads, sweepOrphans, lifecycle, webhooks = [], scrub, unread } = options
  return [
    noteJobs,
    (store, { signal }) => observeTime(store, onClock, signal),
    (store, { signal }) => expireIdleReads(store, idleReads, signal),
    ...(sweepEveryMs > 0 ? [sweepAgainAndAgain(sweepEveryMs)] : []),
    ...(sweepOrphans ? [removeOrphans] : []),
    ...(scrub ? [(store: Store, { signal }: Jobs) => scrubAgainAndAgain(store, scrub, signal)] : []),
    ...(unread && unread.bytes > 0 ? [checkUnread(unread)] : []),
    ...(lifecycle ? [(store: Store, { signal }: Jobs) => applyEveryDay(store, lifecycle, signal)] : []),
    ...webhooks.map(({ webhook, cursor }) => deliveryTo(webhook, cursor)),
  ]
}

/** Retention ends by the clock, not with a commit, so a sweep must check regularly. Its errors are in `store.jobs`. */
const sweepAgainAndAgain =
  (everyMs: number): Background[number] =>
  async (store, { signal }) => {
    for (await rest(everyMs, signal); !signal.aborted; await rest(everyMs, signal)) {
      if (store.state === 'open') await store.sweep().catch(() => undefined)
    }
  }

const removeOrphans: Background[number] = async (store) => {
  await store.sweep({ orphans: true }).catch(() => undefined)
}

function deliveryTo(webhook: Webhook, cursor: Cursor): Background[number] {
  const name = `delivery ${webhook.arn}` as const
  return (store, jobs) => {
    const onFailure = (error: unknown) => jobs.noteError(name, error)
    return jobs.run(name, () => deliver(store, webhook, { ...deliveryDefaults, cursor, onFailure }, jobs.signal))
  }
}
