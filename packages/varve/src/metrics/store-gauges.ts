/** What a store is like at the moment of a scrape: its bytes, its jobs, its subscriptions, its clock, its engine. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '@varve/core'
import type { MetricMaker } from './metric-maker.ts'

type Part = (store: Store) => Promise<void> | void

/**
 * Registers the gauges, and returns what sets all of them. `store` returns the store that is open now; `undefined` while none is.
 */
export function storeGauges({ gauge }: MetricMaker, store: () => Store | undefined): () => Promise<void> {
  const open = gauge('store_open', 'Whether the store is open: 1 or 0.')
  const up = gauge('store_up', 'Whether the store accepts writes: 1 or 0.')
  const parts = [log, bytes, jobs, subscriptions, clock, engine].map((part) => unlessBusy(part(gauge)))
  return async () => {
    const now = store()
    const isOpen = now !== undefined && now.state !== 'closed'
    open.set(isOpen ? 1 : 0)
    up.set(now?.state === 'open' ? 1 : 0)
    // A part that cannot be read leaves the others.
    if (isOpen) await Promise.allSettled(parts.map(async (part) => part(now)))
  }
}

/** How long a scrape waits for one of them, in milliseconds: a database that is away must not take the other metrics with it. */
const waitMs = 2000

/** A part that still runs since an earlier scrape is not started again. */
function unlessBusy(part: Part): Part {
  let running: Promise<void> | undefined
  return (store) => {
    running ??= (async () => part(store))().finally(() => (running = undefined))
    return within(running)
  }
}

async function within(work: Promise<void>): Promise<void> {
  const end = new AbortController()
  await Promise.race([work, delay(waitMs, undefined, { signal: end.signal })]).finally(() => end.abort())
}

type MakeGauge = MetricMaker['gauge']

function log(gauge: MakeGauge): Part {
  const position = gauge('log_position', 'The position of the last event of the log.')
  return ({ seq }) => position.set(seq)
}

function bytes(gauge: MakeGauge): Part {
  const stored = gauge('store_bytes', 'Stored bytes: needed by versions, kept by retention, pinned by snapshots.', [
    'kind',
  ])
  const free = gauge('store_free_bytes', 'The free room of the medium.')
  return async (store) => {
    const { live, kept, pinned, free: room } = await store.usage()
    for (const [kind, value] of Object.entries({ live, kept, pinned })) stored.set({ kind }, value)
    if (room !== undefined) free.set(room)
  }
}

function jobs(gauge: MakeGauge): Part {
  const ended = gauge('job_last_end_timestamp_seconds', 'When the last run of a job ended.', ['job'])
  const failed = gauge('job_last_error_timestamp_seconds', 'When a job last had an error.', ['job'])
  const running = gauge('job_running', 'Whether a job runs: 1 or 0.', ['job'])
  const lag = gauge('job_lag_events', 'Events that a job which follows the log has not handled.', ['job'])
  const behind = gauge('job_lag_seconds', 'For how long there have been such events.', ['job'])
  const pinned = gauge('job_pinned_bytes', 'Bytes that are due for their erasure and stay for a replica.', ['job'])
  const givenUp = gauge('job_pins_given_up_bytes', 'Bytes that did not stay for a replica: too many.', ['job'])
  const lost = gauge('job_pins_given_up_contents', 'How many contents these are.', ['job'])
  return ({ jobs: all }) => {
    for (const { name: job, lease, lastRun, lastError, progress, pinned: pins } of all) {
      running.set({ job }, lease === undefined ? 0 : 1)
      if (lastRun !== undefined) ended.set({ job }, lastRun.endedAt.getTime() / 1000)
      if (lastError !== undefined) failed.set({ job }, lastError.at.getTime() / 1000)
      if (pins !== undefined) {
        pinned.set({ job }, pins.bytes)
        givenUp.set({ job }, pins.givenUp.bytes)
        lost.set({ job }, pins.givenUp.contents)
      }
      if (progress === undefined) continue
      lag.set({ job }, progress.head - progress.position)
      behind.set({ job }, progress.behindSince === undefined ? 0 : (Date.now() - progress.behindSince.getTime()) / 1000)
    }
  }
}

function subscriptions(gauge: MakeGauge): Part {
  const lag = gauge('subscription_lag_events', 'Events after the cursor of a subscription.', ['subscription'])
  return async (store) => {
    const all = await store.subscriptions.list()
    lag.reset()
    for (const { name: subscription, lag: events } of all) lag.set({ subscription }, events)
  }
}

function clock(gauge: MakeGauge): Part {
  const doubtful = gauge('clock_doubtful', "Whether the store doubts the machine's clock: 1 or 0.")
  return (store) => doubtful.set(store.clock.status().state === 'plausible' ? 0 : 1)
}

function engine(gauge: MakeGauge): Part {
  const lag = gauge('witness_lag_seconds', 'How long the witness has lacked events that this engine knows.')
  const members = gauge('cluster_members', 'Engines on the journal, with this one; 0: it has the journal to itself.')
  const held = gauge('lease_held', 'The jobs that this engine runs alone: 1.', ['job'])
  return async ({ owner }) => {
    const { witnessLagMs, sharing } = await owner.status()
    lag.set(witnessLagMs / 1000)
    members.set(sharing?.members ?? 0)
    held.reset()
    for (const job of sharing?.leases ?? []) held.set({ job }, 1)
  }
}
