/** The commits of a store as spans, and its measurements as metrics. */
import { type Meter, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { CommitObservation, Observer } from '@varve/core'

/** Seconds, as the semantic conventions have durations. */
const inSeconds = { unit: 's' }

export function measuredObserver(tracer: Tracer, meter: Meter): Observer {
  const commits = meter.createHistogram('varve.commit.duration', { ...inSeconds, description: 'Rules and journal.' })
  const commands = meter.createCounter('varve.commands', { unit: '{command}' })
  const events = meter.createCounter('varve.events', { unit: '{event}' })
  const syncs = meter.createHistogram('varve.sync.duration', { ...inSeconds, description: 'Waits for the disk.' })
  const jobs = meter.createHistogram('varve.job.duration', { ...inSeconds, description: 'Runs of background jobs.' })
  const lookups = meter.createCounter('varve.cache.lookups', { unit: '{lookup}' })
  const queues = meter.createGauge('varve.queue.depth')
  return {
    commit(observation) {
      const { commands: all, refused, events: appended, durationMs, errorCode } = observation
      traceCommit(tracer, observation)
      commits.record(durationMs / 1000, failure(errorCode))
      commands.add(all - refused, { 'varve.outcome': 'accepted' })
      if (refused > 0) commands.add(refused, { 'varve.outcome': 'refused' })
      events.add(appended)
    },
    sync: ({ what, durationMs, errorCode }) =>
      syncs.record(durationMs / 1000, { 'varve.sync': what, ...failure(errorCode) }),
    job: ({ name, durationMs, errorCode }) =>
      jobs.record(durationMs / 1000, { 'varve.job': name, ...failure(errorCode) }),
    cache({ name, hits, misses }) {
      if (hits > 0) lookups.add(hits, { 'varve.cache': name, 'varve.result': 'hit' })
      if (misses > 0) lookups.add(misses, { 'varve.cache': name, 'varve.result': 'miss' })
    },
    queue: ({ name, depth }) => queues.record(depth, { 'varve.queue': name }),
  }
}

const failure = (errorCode: string | undefined) => (errorCode === undefined ? {} : { 'error.type': errorCode })

/** A commit has the commands of several requests, so it is a trace of its own. It was over a little before it is reported. */
function traceCommit(tracer: Tracer, observation: CommitObservation): void {
  const { seq, commands, refused, events, rows, bytes, durationMs, decidingMs, errorCode } = observation
  const endTime = Date.now()
  const startTime = endTime - durationMs
  const attributes = {
    'varve.seq': seq,
    'varve.commands': commands,
    'varve.refused': refused,
    'varve.events': events,
    'varve.rows': rows,
    'varve.bytes': bytes,
  }
  const options = { kind: SpanKind.INTERNAL, startTime, attributes, root: true }
  const span = tracer.startSpan('varve.commit', options, ROOT_CONTEXT)
  span.addEvent('varve.decided', startTime + decidingMs)
  if (errorCode !== undefined) {
    span.setAttribute('error.type', errorCode)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end(endTime)
}
