import { EmptyState } from '../components/empty-state.tsx'
import { useLoad } from '../components/use-load.ts'
import { linkTo } from '../router/route.ts'
import { listVersions } from '../s3/listings.ts'
import { useConnection } from '../session/use-connection.ts'
import type { Connection } from '../transport/connection.ts'
import { hasCode } from '../transport/failures.ts'
import { lastEventOf, type Shown } from './event-steps.ts'
import { loadLogPage, type LogEvent } from './events.ts'
import { instantText } from './instants.ts'

/** What the past of a place without objects has. */
type Past =
  | { readonly kind: 'none' }
  | { readonly kind: 'versions' }
  | { readonly kind: 'removed'; readonly by: string; readonly at: number; readonly before: number }

/** A place without objects: it never had any, or what it had is in the past. */
export function Emptied({ bucket, prefix }: Shown) {
  const connection = useConnection()
  const past = useLoad((signal) => loadPast(connection, { bucket, prefix }, signal), [connection, bucket, prefix])
  if (past.state === 'loading') return <p role="status">Loading…</p>
  const how = <p>Drop files onto this page, or choose them with “Upload”.</p>
  if (past.state === 'failed' || past.value.kind === 'none')
    return <EmptyState title="Nothing here yet">{how}</EmptyState>
  const versions = <a href={linkTo(['browse', bucket], { show: 'versions', prefix })}>All versions</a>
  if (past.value.kind === 'versions') {
    return (
      <EmptyState title="No objects here now">
        <p>Objects were here, and their versions still are.</p>
        <p>{versions}</p>
        {how}
      </EmptyState>
    )
  }
  const { by, at, before } = past.value
  return (
    <EmptyState title="No objects here now">
      <p>
        Objects were here until {instantText(at)}, when {by} deleted the last of them.
      </p>
      <p class="cluster">
        <a href={linkTo(['browse', bucket], { prefix, at: String(before) })}>Show them as they were</a>
        <a href={linkTo(['time', bucket], { prefix })}>Who did what</a>
        {versions}
      </p>
      {how}
    </EmptyState>
  )
}

async function loadPast(connection: Connection, shown: Shown, signal: AbortSignal): Promise<Past> {
  try {
    const types = 'DeleteMarkerAdded,VersionRemoved'
    const last = await lastEventOf(connection, { ...shown, types }, signal)
    if (last === undefined) return { kind: 'none' }
    const first = await firstOfRequest(connection, last, signal)
    return { kind: 'removed', by: last.by.name, at: last.at, before: first.seq - 1 }
  } catch (error) {
    if (!hasCode(error, 'AccessDenied', 'NotImplemented')) throw error
  }
  const { entries } = await listVersions(connection, { ...shown, limit: 1, signal })
  return { kind: entries.length === 0 ? 'none' : 'versions' }
}

/** One request can delete many objects: the moment before shows them all. */
async function firstOfRequest(connection: Connection, last: LogEvent, signal: AbortSignal): Promise<LogEvent> {
  const { requestId, data } = last
  if (requestId === undefined) return last
  let first = last
  for (let isFound = true; isFound; ) {
    const request = { requestId, bucket: data.bucket, before: first.seq, limit: 1000 }
    const { events } = await loadLogPage(connection, request, signal)
    isFound = events.length > 0
    first = events.at(-1) ?? first
  }
  return first
}
