/** The metrics of what an observer is told. */
import type { Observer } from '@varve/core'
import type { MetricMaker } from './metric-maker.ts'

const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** Registers the metrics, and returns what counts them. */
export const observedMetrics = (make: MetricMaker): Observer => ({
  ...requests(make),
  ...commits(make),
  ...background(make),
  ...connections(make),
  ...healing(make),
})

function requests({ counter, histogram }: MetricMaker): Pick<Observer, 'request'> {
  const ended = counter('requests_total', 'Requests that ended, by operation and status.', ['operation', 'status'])
  const errors = counter('request_errors_total', 'Requests that ended with an error, by its code.', ['code'])
  const duration = histogram('request_duration_seconds', 'From the head of a request to the end of its answer.', [
    'operation',
  ])
  const bytes = counter('request_bytes_total', 'Bytes of bodies that were received and sent.', ['direction'])
  return {
    request({ operation = 'none', status, durationMs, bytesIn, bytesOut, errorCode }) {
      ended.inc({ operation, status })
      duration.observe({ operation }, durationMs / 1000)
      if (bytesIn > 0) bytes.inc({ direction: 'in' }, bytesIn)
      if (bytesOut > 0) bytes.inc({ direction: 'out' }, bytesOut)
      if (errorCode !== undefined) errors.inc({ code: errorCode })
    },
  }
}

function connections({ gauge }: MetricMaker): Pick<Observer, 'connections'> {
  const open = gauge('connections', 'Open connections of clients.')
  return { connections: ({ open: count }) => open.set(count) }
}

function healing({ counter }: MetricMaker): Pick<Observer, 'healing'> {
  const healed = counter('healed_total', 'Damaged or missing bytes that were taken from a replica, by what they are.', [
    'what',
  ])
  const failures = counter('healing_failures_total', 'Damaged or missing bytes that no replica could give.', [
    'what',
    'code',
  ])
  return {
    healing({ what, isHealed, errorCode = 'InternalError' }) {
      if (isHealed) healed.inc({ what })
      else failures.inc({ what, code: errorCode })
    },
  }
}

function commits({ counter, histogram }: MetricMaker): Pick<Observer, 'commit'> {
  const groups = histogram('commit_commands', 'Commands that were committed together.', [], groupSizes)
  const phases = histogram('commit_duration_seconds', 'How long commands waited, were decided and written.', ['phase'])
  const commands = counter('commands_total', 'Commands, by their outcome.', ['outcome'])
  const events = counter('events_total', 'Events that were appended to the log.')
  const bytes = counter('commit_bytes_total', 'Bytes of events and rows that the journal received.')
  const conflicts = counter('commit_conflicts_total', 'Commits that were refused because another engine was first.')
  const repeated = counter('commits_repeated_total', 'Groups that were decided again for that reason.')
  const failures = counter('commit_failures_total', 'Groups whose outcome is unknown, by code.', ['code'])
  return {
    commit({
      commands: count,
      refused,
      events: appended,
      bytes: written,
      conflicts: refusals,
      waitingMs,
      decidingMs,
      writingMs,
      errorCode,
    }) {
      groups.observe(count)
      phases.observe({ phase: 'waiting' }, waitingMs / 1000)
      phases.observe({ phase: 'deciding' }, decidingMs / 1000)
      phases.observe({ phase: 'writing' }, writingMs / 1000)
      commands.inc({ outcome: 'accepted' }, count - refused)
      commands.inc({ outcome: 'refused' }, refused)
      events.inc(appended)
      bytes.inc(written)
      conflicts.inc(refusals)
      if (refusals > 0) repeated.inc()
      if (errorCode !== undefined) failures.inc({ code: errorCode })
    },
  }
}

function background({ counter, gauge, histogram }: MetricMaker): Pick<Observer, 'sync' | 'job' | 'cache' | 'queue'> {
  const syncs = histogram('sync_duration_seconds', 'Waits for the disk.', ['what'])
  const syncErrors = counter('sync_failures_total', 'Syncs that failed, by code.', ['what', 'code'])
  const runs = histogram('job_duration_seconds', 'Runs of background jobs.', ['job'])
  const jobErrors = counter('job_failures_total', 'Runs of jobs that failed, by code.', ['job', 'code'])
  const lookups = counter('cache_lookups_total', 'Lookups in caches.', ['cache', 'result'])
  const depth = gauge('queue_depth', 'The length of a queue when it was last seen.', ['queue'])
  return {
    sync({ what, durationMs, errorCode }) {
      syncs.observe({ what }, durationMs / 1000)
      if (errorCode !== undefined) syncErrors.inc({ what, code: errorCode })
    },
    job({ name: job, durationMs, errorCode }) {
      runs.observe({ job }, durationMs / 1000)
      if (errorCode !== undefined) jobErrors.inc({ job, code: errorCode })
    },
    cache({ name: cache, hits, misses }) {
      lookups.inc({ cache, result: 'hit' }, hits)
      lookups.inc({ cache, result: 'miss' }, misses)
    },
    queue: ({ name: queue, depth: length }) => depth.set({ queue }, length),
  }
}
