import { useEffect, useState } from 'preact/hooks'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { useRefused } from '../components/refusals.tsx'
import { readMetrics } from '../control/operate.ts'
import { useConnection } from '../session/use-connection.ts'
import { hasCode, isAborted } from '../transport/failures.ts'
import { LineChart } from './line-chart.tsx'
import { quantile, type RequestCounts, requestCounts } from './metrics-text.ts'

const everyMs = 2000
const pointsMax = 150

interface Point {
  /** Seconds since the epoch. */
  readonly at: number
  readonly perSecond: number
  readonly failedPerSecond: number
  /** Milliseconds. */
  readonly median: number | null
  readonly slow: number | null
}

interface Reading {
  readonly at: number
  readonly counts: RequestCounts
}

/** Requests per second and their durations, from the metrics of the server. */
export function RequestsSection() {
  const connection = useConnection()
  const [points, setPoints] = useState<readonly Point[]>([])
  const [error, setError] = useState<unknown>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    let before: Reading | undefined
    let isReading = false
    const read = async (): Promise<void> => {
      isReading = true
      try {
        const counts = requestCounts(await readMetrics(connection, controller.signal))
        const after = { at: Date.now() / 1000, counts }
        const earlier = before
        if (earlier !== undefined) setPoints((known) => [...known, pointOf(earlier, after)].slice(-pointsMax))
        before = after
        setError(undefined)
      } catch (problem) {
        if (!isAborted(problem)) setError(problem)
        if (hasCode(problem, 'NotImplemented', 'AccessDenied')) controller.abort()
      } finally {
        isReading = false
      }
    }
    void read()
    const timer = setInterval(() => isReading || controller.signal.aborted || document.hidden || void read(), everyMs)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [connection])
  if (useRefused(error, 'Requests')) return null
  return (
    <section class="card operate-section" aria-labelledby="requests-title">
      <h2 id="requests-title">Requests</h2>
      {hasCode(error, 'NotImplemented') ? (
        <EmptyState title="The server does not measure">
          <p>
            Start it with <code>varve serve --metrics</code> to see requests per second and their durations.
          </p>
        </EmptyState>
      ) : (
        <>
          {error !== undefined && <ErrorMessage error={error} />}
          <Charts points={points} />
        </>
      )}
    </section>
  )
}

function Charts({ points }: { readonly points: readonly Point[] }) {
  const last = points.at(-1)
  if (last === undefined) return <p role="status">Measuring…</p>
  const times = points.map(({ at }) => at)
  return (
    <div class="charts">
      <figure>
        <figcaption>
          {last.perSecond.toFixed(1)} requests per second, {last.failedPerSecond.toFixed(1)} failed
        </figcaption>
        <LineChart
          label="Requests per second over time"
          times={times}
          lines={[
            { name: 'requests', values: points.map(({ perSecond }) => perSecond) },
            { name: 'failed', values: points.map(({ failedPerSecond }) => failedPerSecond) },
          ]}
        />
      </figure>
      <figure>
        <figcaption>
          Half within {msText(last.median)}, 99 of 100 within {msText(last.slow)}
        </figcaption>
        <LineChart
          label="Milliseconds that requests take over time"
          times={times}
          lines={[
            { name: 'median', values: points.map(({ median }) => median) },
            { name: '99 %', values: points.map(({ slow }) => slow) },
          ]}
        />
      </figure>
    </div>
  )
}

const msText = (ms: number | null): string => (ms === null ? '–' : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`)

/** A server that started again counts from zero. */
function pointOf(before: Reading, after: Reading): Point {
  const seconds = Math.max(0.001, after.at - before.at)
  const rate = (field: 'requests' | 'errors'): number =>
    Math.max(0, after.counts[field] - before.counts[field]) / seconds
  const within = (part: number): number | null => {
    const found = quantile(before.counts, after.counts, part)
    return found === undefined ? null : found * 1000
  }
  return {
    at: after.at,
    perSecond: rate('requests'),
    failedPerSecond: rate('errors'),
    median: within(0.5),
    slow: within(0.99),
  }
}
