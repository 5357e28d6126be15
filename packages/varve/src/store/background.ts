/** The background work of a store, as its options request it. */
import type { ClockStatus, Jobs, Store, StoreHome } from '@varve/core'
import { checkUnread, type UnreadLog } from '../jobs/check-unread.ts'
import { expireIdleReads, type IdleReads } from '../jobs/idle-reads.ts'
import { applyEveryDay, type LifecycleSchedule } from '../jobs/lifecycle-schedule.ts'
import { observeTime } from '../jobs/observe-time.ts'
import { removeOrphansEvery } from '../jobs/orphan-schedule.ts'
import { rest } from '../jobs/rest.ts'
import { scrubAgainAndAgain, type ScrubSchedule } from '../jobs/scrub-schedule.ts'
import { sharedBookmark } from '../jobs/scrub-bookmark.ts'
import { type Cursor, sharedCursor } from '../webhooks/cursor.ts'
import { deliver, deliveryDefaults } from '../webhooks/deliver.ts'
import { noteJobs } from './jobs-of.ts'
import type { Filling } from '../replicas/filling.ts'
import { proveReplicaEvery } from '../replicas/prove-replica.ts'
import { replicate } from '../replicas/replicate.ts'
import type { ReplicaSchedule } from '../replicas/replica-settings.ts'
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
  /** How often one of the engines on the log removes them, in milliseconds. @default never */
  readonly orphansEveryMs?: number | undefined
  /** When lifecycle rules are applied; absent: only by a call. */
  readonly lifecycle?: LifecycleSchedule
  /** The webhooks that receive notifications, each with the position that it has reached. @default in the journal */
  readonly webhooks?: readonly { readonly webhook: Webhook; readonly cursor?: Cursor }[]
  /** The replicas that are written. */
  readonly replicas?: readonly ReplicaSchedule[]
  /** When to scrub; absent: never. The bookmark is in the journal by default. */
  readonly scrub?: Omit<ScrubSchedule, 'bookmark'> & Partial<Pick<ScrubSchedule, 'bookmark'>>
  /** Files that the opening did not read. */
  readonly unread?: UnreadLog | undefined
  /** What brings the blobs that a restore left in a replica. @default the store has all of them */
  readonly filling?: Filling | undefined
}

export type Background = NonNullable<StoreHome['background']>

export const backgroundOf = (options: BackgroundOptions): Background => [...watchingOf(options), ...workOf(options)]

/** What any store does that is open. */
export const watchingOf = ({ onClock, idleReads }: Pick<BackgroundOptions, 'onClock' | 'idleReads'>): Background => [
  noteJobs,
  (store, { signal }) => observeTime(store, onClock, signal),
  (store, { signal }) => expireIdleReads(store, idleReads, signal),
]

/** What only a store does that takes writes. */
export function workOf(options: Omit<BackgroundOptions, 'onClock' | 'idleReads'>): Background {
  const { sweepEveryMs, sweepOrphans, orphansEveryMs, lifecycle, webhooks = [], replicas = [] } = options
  const { scrub, unread, filling } = options
  return [
    ...(sweepEveryMs > 0 ? [sweepAgainAndAgain(sweepEveryMs)] : []),
    ...(sweepOrphans ? [removeOrphans] : []),
    ...(orphansEveryMs === undefined
      ? []
      : [(store: Store, jobs: Jobs) => removeOrphansEvery(store, orphansEveryMs, jobs)]),
    ...(scrub
      ? [(store: Store, jobs: Jobs) => scrubAgainAndAgain(store, { bookmark: sharedBookmark(jobs), ...scrub }, jobs)]
      : []),
    ...(unread && unread.bytes > 0 ? [checkUnread(unread)] : []),
    ...(lifecycle ? [(store: Store, { signal }: Jobs) => applyEveryDay(store, lifecycle, signal)] : []),
    ...replicas.map((schedule) => (store: Store, jobs: Jobs) => replicate(store, schedule, jobs)),
    ...replicas.flatMap(provenEvery),
    ...(filling ? [(store: Store, jobs: Jobs) => filling.run(store, jobs)] : []),
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

function provenEvery({ proveEveryMs, ...schedule }: ReplicaSchedule): Background {
  if (proveEveryMs === undefined) return []
  return [(store, jobs) => proveReplicaEvery(store, { ...schedule, proveEveryMs }, jobs)]
}

/** One of several engines on a log delivers, and another when that one is gone. */
function deliveryTo(webhook: Webhook, given: Cursor | undefined): Background[number] {
  const name = `delivery ${webhook.arn}` as const
  return async (store, jobs) => {
    const { signal } = jobs
    const cursor = given ?? sharedCursor(jobs, name)
    const onFailure = (error: unknown) => jobs.noteError(name, error)
    const work = () => deliver(store, webhook, { ...deliveryDefaults, cursor, onFailure }, signal)
    while (!signal.aborted && store.state !== 'closed') {
      // Why it ended is in the status of the job. The store may have failed, or another engine has taken the lease.
      await jobs.run(name, work).catch(() => undefined)
      await rest(deliveryDefaults.retryMs, signal)
    }
  }
}
