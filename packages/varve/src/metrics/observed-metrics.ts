/** The metrics of what an observer is told. */
import type { Observer } from '@varve/core'
import { Counter, Gauge, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client'

/** From 0.1 ms to 30 s. */
const seconds = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]

interface Parts {
  counter<L extends string>(name: string, help: string, labelNames?: readonly L[]): Counter<L>
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames?: readonly L[],
    buckets?: readonly number[],
  ): Histogram<L>
  gauge<L extends string>(name: string, help: string, labelNames?: readonly L[]): Gauge<L>
}

/** Registers the metrics, and returns what counts them. */
export function observedMetrics(registry: Registry<OpenMetricsContentType>): Observer {
  const registers = [registry]
  const parts: Parts = {
    counter: (name, help, labelNames = []) =>
      new Counter({ name: `varve_${name}`, help, labelNames: [...labelNames], registers }),
    histogram: (name, help, labelNames = [], buckets = seconds) =>
      new Histogram({ name: `varve_${name}`, help, labelNames: [...labelNames], buckets: [...buckets], registers }),
    gauge: (name, help, labelNames = []) =>
      new Gauge({ name: `varve_${name}`, help, labelNames: [...labelNames], registers }),
  }
  return { ...requests(parts), ...commits(parts), ...background(parts) }
}

function requests({ counter, histogram }: Parts): Pick<Observer, 'request'> {
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

function commits({ counter, histogram }: Parts): Pick<Observer, 'commit'> {
  const groups = histogram('commit_commands', 'Commands that were committed together.', [], groupSizes)
  const phases = histogram('commit_duration_seconds', 'How long commands waited, were decided and written.', ['phase'])
  const commands = counter('commands_total', 'Commands, by their outcome.', ['outcome'])
  const events = counter('events_total', 'Events that were appended to the log.')
  const bytes = counter('commit_bytes_total', 'Bytes of events and rows that the journal received.')
  const failures = counter('commit_failures_total', 'Groups whose outcome is unknown, by code.', ['code'])
  return {
    commit({
      commands: count,
      refused,
      events: appended,
      bytes: written,
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
      if (errorCode !== undefined) failures.inc({ code: errorCode })
    },
  }
}

function background({ counter, gauge, histogram }: Parts): Pick<Observer, 'sync' | 'job' | 'cache' | 'queue'> {
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
