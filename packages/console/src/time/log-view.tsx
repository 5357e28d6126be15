import { useEffect, useState } from 'preact/hooks'
import { CheckField } from '../components/check-field.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useConnection } from '../session/use-connection.ts'
import { isAborted } from '../transport/failures.ts'
import { EventList } from './event-list.tsx'
import { removalTypes } from './event-text.ts'
import { lastPosition, type LogEvent, type LogFilter, readLog } from './events.ts'
import type { Place } from './place.ts'

/** How many events the page keeps, and how far back it begins. */
const shownMax = 500
const positionsBack = 5000

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
  const { events, error } = useEvents({ bucket, prefix, by, types, follow: isLive })
  return (
    <>
      <div class="cluster bottom">
        <SelectField label="Show" value={types} onChange={setTypes} options={kinds} />
        <TextField label="Only by (id of an actor)" value={by} onInput={setBy} placeholder="all" />
        <CheckField label="Live" isChecked={isLive} onChange={setLive} />
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      {error === undefined && events.length === 0 && (
        <EmptyState title="No events match">
          <p>{isLive ? 'New ones appear here as they happen.' : 'Change the filter, or switch on “Live”.'}</p>
        </EmptyState>
      )}
      <EventList events={events} label="Events, newest first" />
    </>
  )
}

function useEvents(filter: LogFilter): { readonly events: readonly LogEvent[]; readonly error: unknown } {
  const connection = useConnection()
  const [events, setEvents] = useState<readonly LogEvent[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const controller = new AbortController()
    setEvents([])
    setError(undefined)
    const read = async (): Promise<void> => {
      const last = await lastPosition(connection, controller.signal)
      const from = Math.max(1, last - positionsBack + 1)
      const waiting: LogEvent[] = []
      let drawn = 0
      const draw = (): void => {
        drawn = 0
        const fresh = waiting.splice(0).toReversed()
        setEvents((before) => [...fresh, ...before].slice(0, shownMax))
      }
      for await (const event of readLog(connection, { ...filter, from }, controller.signal)) {
        waiting.push(event)
        drawn ||= requestAnimationFrame(draw)
      }
    }
    read().catch((thrown: unknown) => {
      if (!controller.signal.aborted && !isAborted(thrown)) setError(thrown)
    })
    return () => controller.abort()
  }, [connection, filter.bucket, filter.prefix, filter.by, filter.types, filter.follow])
  return { events, error }
}
