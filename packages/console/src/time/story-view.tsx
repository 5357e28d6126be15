import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { TextField } from '../components/text-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { navigate } from '../router/router.ts'
import { useConnection } from '../session/use-connection.ts'
import type { Connection } from '../transport/connection.ts'
import { EventList } from './event-list.tsx'
import { deedText } from './event-text.ts'
import { type LogEvent, readHistory } from './events.ts'
import { instantText } from './instants.ts'
import type { Place } from './place.ts'
import { Presence } from './presence.ts'

/** How many events are shown at first, and more at each “Show older”. */
const shownAtOnce = 1000

/** The story of one key, and who deleted it. */
export function StoryView({ place: { bucket, key } }: { readonly place: Place }) {
  const [name, setName] = useState(key ?? '')
  return (
    <>
      <form
        class="cluster bottom"
        onSubmit={(event) => {
          event.preventDefault()
          navigate(['time', bucket], { show: 'story', key: name })
        }}
      >
        <TextField label="Key" value={name} onInput={setName} placeholder="photos/cat.jpg" />
        <Button type="submit">Show its story</Button>
      </form>
      {key === undefined ? (
        <EmptyState title="Which object?">
          <p>Enter its key, also if the object is deleted.</p>
        </EmptyState>
      ) : (
        <Story key={key} object={{ bucket, key }} />
      )}
    </>
  )
}

function Story({ object }: { readonly object: { readonly bucket: string; readonly key: string } }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => loadStory(connection, object, signal), [connection, object.bucket, object.key])
  const [count, setCount] = useState(shownAtOnce)
  if (loaded.state === 'loading') return <p role="status">Loading…</p>
  if (loaded.state === 'failed') return <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
  const { events, hasObject, removal } = loaded.value
  if (events.length === 0) return <EmptyState title="This key has never been written" />
  return (
    <>
      {hasObject && <p>The object exists.</p>}
      {removal !== undefined && (
        <p>
          Last removed by <strong>{removal.by.name}</strong>, who {deedText(removal)} it at {instantText(removal.at)}.
        </p>
      )}
      <EventList events={events.slice(0, count)} label="Story of the key, newest first" />
      {count < events.length && <Button onClick={() => setCount(count + shownAtOnce)}>Show older</Button>}
    </>
  )
}

interface Story extends Pick<Presence, 'hasObject' | 'removal'> {
  /** The newest first. */
  readonly events: readonly LogEvent[]
}

async function loadStory(
  connection: Connection,
  object: { readonly bucket: string; readonly key: string },
  signal: AbortSignal,
): Promise<Story> {
  const presence = new Presence()
  const events: LogEvent[] = []
  for await (const event of readHistory(connection, object, signal)) {
    events.push(event)
    presence.apply(event)
  }
  return { events: events.toReversed(), hasObject: presence.hasObject, removal: presence.removal }
}
