import { useEffect, useRef, useState } from 'preact/hooks'
import { CheckField } from '../components/check-field.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { type Page, usePages } from '../components/use-pages.ts'
import { useConnection } from '../session/use-connection.ts'
import type { Connection } from '../transport/connection.ts'
import { isAborted } from '../transport/failures.ts'
import { EventList } from './event-list.tsx'
import { removalTypes } from './event-text.ts'
import { lastPosition, loadLogPage, type LogEvent, type LogFilter, readLog } from './events.ts'
import { Older } from './older.tsx'
import type { Place } from './place.ts'

/** When so many events have come since the page was opened, it keeps the newest ones, and older ones are loaded again. */
const liveMax = 1000
const liveKept = 500
const eventsAtOnce = 100

const kinds = [
  { value: '', label: 'Everything' },
  { value: removalTypes.join(','), label: 'What was deleted or removed' },
  { value: 'VersionAdded,UploadCompleted', label: 'What was written' },
]

/** The log of a bucket as it grows, newest first. */
export function LogView({ place: { bucket, prefix } }: { readonly place: Place }) {
  const [by, setBy] = useState('')
  const [types, setTypes] = useState('')
  const [isLive, setLive] = useState(true)
  const connection = useConnection()
  const filter = { bucket, prefix, by, types }
  const inputs = [connection, bucket, prefix, by, types]
  const last = useLoad((signal) => lastPosition(connection, signal), inputs)
  return (
    <>
      <div class="cluster bottom">
        <SelectField label="Show" value={types} onChange={setTypes} options={kinds} />
        <TextField label="Only by (id of an actor)" value={by} onInput={setBy} placeholder="all" />
        <CheckField label="Live" isChecked={isLive} onChange={setLive} />
      </div>
      {last.state === 'loading' && <p role="status">Loading…</p>}
      {last.state === 'failed' && <ErrorMessage error={last.error} onRetry={last.reload} />}
      {last.state === 'ready' && (
        <Events key={JSON.stringify(filter)} filter={filter} last={last.value} isLive={isLive} />
      )}
    </>
  )
}

interface EventsProps {
  readonly filter: Filter
  /** The end of the log when the page was opened. */
  readonly last: number
  readonly isLive: boolean
}

function Events({ filter, last, isLive }: EventsProps) {
  const connection = useConnection()
  const { live, before, error } = useLive(filter, last, isLive)
  const pages = usePages<LogEvent, number>(
    (from, signal) => loadEvents(connection, filter, from ?? before, signal),
    [connection, before],
  )
  const events = [...live, ...pages.rows]
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} />}
      {events.length === 0 && pages.isComplete && (
        <EmptyState title="No events match">
          <p>{isLive ? 'New ones appear here as they happen.' : 'Change the filter, or switch on “Live”.'}</p>
        </EmptyState>
      )}
      <EventList events={events} label="Events, newest first" />
      <Older pages={pages} loading="Reading the log…" />
    </>
  )
}

type Filter = Pick<LogFilter, 'bucket' | 'prefix' | 'by' | 'types'>

/** The events before a position, until some match or the log begins. */
async function loadEvents(
  connection: Connection,
  filter: Filter,
  before: number,
  signal: AbortSignal,
): Promise<Page<LogEvent, number>> {
  for (let at = before; ; ) {
    const { events, next } = await loadLogPage(connection, { ...filter, before: at, limit: eventsAtOnce }, signal)
    if (next === undefined) return { entries: events }
    if (events.length > 0) return { entries: events, next }
    at = next
  }
}

interface Live {
  /** The newest first. */
  readonly live: readonly LogEvent[]
  /** Older events are before this position. */
  readonly before: number
}

/** New events after a position, while `isLive`. */
function useLive(filter: Filter, last: number, isLive: boolean): Live & { readonly error: unknown } {
  const connection = useConnection()
  const [state, setState] = useState<Live>({ live: [], before: last + 1 })
  const [error, setError] = useState<unknown>()
  const seen = useRef(last)
  useEffect(() => {
    if (!isLive) return
    const controller = new AbortController()
    const { signal } = controller
    setError(undefined)
    const waiting: LogEvent[] = []
    let drawn = 0
    const draw = (): void => {
      drawn = 0
      const fresh = waiting.splice(0).toReversed()
      setState((state) => withFresh(state, fresh))
    }
    const read = async (): Promise<void> => {
      for await (const event of readLog(connection, { ...filter, from: seen.current + 1, follow: true }, signal)) {
        seen.current = event.seq
        waiting.push(event)
        drawn ||= requestAnimationFrame(draw)
      }
    }
    read().catch((thrown: unknown) => {
      if (!signal.aborted && !isAborted(thrown)) setError(thrown)
    })
    return () => controller.abort()
  }, [connection, isLive])
  return { ...state, error }
}

function withFresh({ live, before }: Live, fresh: readonly LogEvent[]): Live {
  const all = [...fresh, ...live]
  if (all.length <= liveMax) return { live: all, before }
  const kept = all.slice(0, liveKept)
  return { live: kept, before: kept.at(-1)?.seq ?? before }
}
