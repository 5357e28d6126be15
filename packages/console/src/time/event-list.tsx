import { visible } from '../components/formats.ts'
import { linkTo } from '../router/route.ts'
import { deedText, kindOf, subjectText } from './event-text.ts'
import type { LogEvent } from './events.ts'
import { instantText } from './instants.ts'

/** Events, each with a link to the state that it led to. */
export function EventList({ events, label }: { readonly events: readonly LogEvent[]; readonly label: string }) {
  return (
    <ol class="events" aria-label={label}>
      {events.map((event) => (
        <li key={event.seq} class={kindOf(event)}>
          <span class="small quiet">{event.seq}</span>
          <time class="small quiet" dateTime={new Date(event.at).toISOString()}>
            {instantText(event.at)}
          </time>
          <span>
            <strong>{event.by.name}</strong> {deedText(event)} <span class="key">{visible(subjectText(event))}</span>
          </span>
          {event.data.bucket !== undefined && (
            <a class="small" href={linkTo(['browse', event.data.bucket], { at: String(event.seq) })}>
              Look at this moment
            </a>
          )}
        </li>
      ))}
    </ol>
  )
}
