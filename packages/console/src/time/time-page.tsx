import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { SelectField } from '../components/select-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { linkTo, type Route } from '../router/route.ts'
import { navigate } from '../router/router.ts'
import { listShownBuckets } from '../session/session.ts'
import { useBucketPresence } from '../session/use-bucket-presence.ts'
import { useConnection } from '../session/use-connection.ts'
import { ActionsView } from './actions-view.tsx'
import { ChangesView } from './changes-view.tsx'
import { LogView } from './log-view.tsx'
import { MissingBucket } from './missing-bucket.tsx'
import type { Place } from './place.ts'
import { SnapshotsView } from './snapshots-view.tsx'
import { StoryView } from './story-view.tsx'

const views = [
  { name: '', title: 'Who did what' },
  { name: 'changes', title: 'What changed' },
  { name: 'log', title: 'Live log' },
  { name: 'story', title: 'Story of a key' },
  { name: 'snapshots', title: 'Snapshots and forks' },
] as const

export function TimePage({ route }: { readonly route: Route }) {
  const connection = useConnection()
  const buckets = useLoad((signal) => listShownBuckets(connection, signal), [connection])
  const [, chosen] = route.path
  const names = buckets.state === 'ready' ? buckets.value.map(({ name }) => name) : []
  const bucket = chosen ?? names[0]
  if (buckets.state === 'failed' && chosen === undefined) {
    return <ErrorMessage error={buckets.error} onRetry={buckets.reload} />
  }
  return (
    <section class="page">
      <header class="cluster">
        <h1 class="grow">Time</h1>
        {bucket !== undefined && <BucketChoice names={names} bucket={bucket} query={route.query} />}
      </header>
      {buckets.state === 'loading' && bucket === undefined && <p role="status">Loading…</p>}
      {buckets.state === 'ready' && bucket === undefined && (
        <EmptyState title="No buckets yet">
          <p>
            Create a bucket in <a href={linkTo([])}>Browse</a>. From then on, every state of it can be looked at here.
          </p>
        </EmptyState>
      )}
      {bucket !== undefined && <Views bucket={bucket} query={route.query} />}
    </section>
  )
}

interface BucketProps {
  readonly bucket: string
  readonly query: Route['query']
}

function BucketChoice({ names, bucket, query }: BucketProps & { readonly names: readonly string[] }) {
  const all = names.includes(bucket) ? names : [bucket, ...names]
  return (
    <SelectField
      label="Bucket"
      value={bucket}
      onChange={(name) => navigate(['time', name], { show: query['show'] })}
      options={all.map((name) => ({ value: name, label: name }))}
    />
  )
}

function Views({ bucket, query }: BucketProps) {
  const { show = '', prefix = '', at, to, key } = query
  const presence = useBucketPresence(bucket)
  const place: Place = { bucket, prefix, at, to, key }
  if (presence.state === 'loading') return <p role="status">Loading…</p>
  if (presence.state === 'ready' && !presence.value) {
    return (
      <>
        <MissingBucket bucket={bucket} />
        <ActionsView place={{ ...place, prefix: '' }} />
      </>
    )
  }
  return (
    <>
      <nav class="tabs" aria-label="Views of time">
        {views.map(({ name, title }) => (
          <a
            key={name}
            href={linkTo(['time', bucket], { show: name, prefix, at, key })}
            aria-current={show === name ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <View show={show} place={place} onMove={(moment) => navigate(['time', bucket], { ...query, at: moment })} />
    </>
  )
}

interface ViewProps {
  readonly show: string
  readonly place: Place
  readonly onMove: (at: string | undefined) => void
}

function View({ show, place, onMove }: ViewProps) {
  switch (show) {
    case 'changes':
      return <ChangesView place={place} onMove={onMove} />
    case 'log':
      return <LogView place={place} />
    case 'story':
      return <StoryView place={place} />
    case 'snapshots':
      return <SnapshotsView place={place} />
    default:
      return <ActionsView place={place} />
  }
}
