import { EmptyState } from '../components/empty-state.tsx'
import { useLoad } from '../components/use-load.ts'
import { linkTo } from '../router/route.ts'
import { useConnection } from '../session/use-connection.ts'
import { deedText } from './event-text.ts'
import { lastEventOf } from './event-steps.ts'
import { instantText } from './instants.ts'

/** A bucket that does not exist: nothing can be done with it, but what it was can be looked at. */
export function MissingBucket({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  // A key that may not read the log gets the page without the past.
  const last = useLoad((signal) => lastEventOf(connection, { bucket, prefix: '' }, signal), [connection, bucket])
  const event = last.state === 'ready' ? last.value : undefined
  return (
    <EmptyState title={`There is no bucket ${bucket}`}>
      {event === undefined ? (
        <p>It may have another name, or belong to another server.</p>
      ) : (
        <p>
          It existed before: {event.by.name} {deedText(event)} at {instantText(event.at)}.
        </p>
      )}
      <p class="cluster">
        <a href={linkTo([])}>All buckets</a>
        {event !== undefined && (
          <>
            <a href={linkTo(['browse', bucket], { at: String(event.seq - 1) })}>Look at it as it was</a>
            <a href={linkTo(['time', bucket])}>Who did what</a>
          </>
        )}
      </p>
    </EmptyState>
  )
}
