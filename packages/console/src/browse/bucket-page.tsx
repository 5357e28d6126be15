import { Refusals } from '../components/refusals.tsx'
import { linkTo, type Route } from '../router/route.ts'
import { BucketSettings } from './bucket-settings.tsx'
import { navigate } from '../router/router.ts'
import { useBucketPresence } from '../session/use-bucket-presence.ts'
import { MissingBucket } from '../time/missing-bucket.tsx'
import { TimeBar } from '../time/time-bar.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { ObjectList } from './object-list.tsx'
import { ObjectPanel } from './object-panel.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { VersionList } from './version-list.tsx'

export interface BucketPageProps {
  readonly bucket: string
  readonly query: Route['query']
}

const views = [
  { name: '', title: 'Objects' },
  { name: 'versions', title: 'All versions' },
  { name: 'uploads', title: 'Unfinished uploads' },
  { name: 'settings', title: 'Settings' },
] as const

/** One bucket: its objects, versions, unfinished uploads or settings, and beside them the object that is chosen. */
export function BucketPage({ bucket, query }: BucketPageProps) {
  const presence = useBucketPresence(bucket)
  const isMissing = presence.state === 'ready' && !presence.value
  if (presence.state === 'loading' || (isMissing && query['at'] === undefined)) {
    return (
      <section class="page wide">
        <Breadcrumbs bucket={bucket} prefix="" at={undefined} />
        {isMissing ? <MissingBucket bucket={bucket} /> : <p role="status">Loading…</p>}
      </section>
    )
  }
  return <BucketViews bucket={bucket} query={query} isMissing={isMissing} onGone={presence.reload} />
}

interface BucketViewsProps extends BucketPageProps {
  /** The bucket is looked at as it was, and does not exist now. */
  readonly isMissing: boolean
  readonly onGone: () => void
}

function BucketViews({ bucket, query, isMissing, onGone }: BucketViewsProps) {
  const { show = '', prefix = '', key, version, at } = query
  return (
    <div class={key === undefined ? 'bucket-page' : 'bucket-page with-panel'}>
      <section class="page wide">
        <Breadcrumbs bucket={bucket} prefix={prefix} at={at} />
        {!isMissing && <Tabs show={show} bucket={bucket} prefix={prefix} at={at} />}
        {show === '' && (
          <TimeBar
            bucket={bucket}
            prefix={prefix}
            at={at}
            onMove={(moment) => navigate(['browse', bucket], { prefix, at: moment })}
          />
        )}
        <View show={show} bucket={bucket} prefix={prefix} at={at} onGone={onGone} />
      </section>
      {key !== undefined && (
        <ObjectPanel
          key={`${key}\n${version ?? ''}\n${at ?? ''}`}
          object={{ bucket, key, versionId: version, at }}
          closeLink={linkTo(['browse', bucket], { show, prefix, at })}
        />
      )}
    </div>
  )
}

interface TabsProps {
  readonly show: string
  readonly bucket: string
  readonly prefix: string
  readonly at: string | undefined
}

function Tabs({ show, bucket, prefix, at }: TabsProps) {
  return (
    <nav class="tabs" aria-label="Views of the bucket">
      {views.map(({ name, title }) => (
        <a
          key={name}
          href={linkTo(['browse', bucket], { show: name, prefix, at })}
          aria-current={show === name ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

function View({ show, bucket, prefix, at, onGone }: TabsProps & { readonly onGone: () => void }) {
  if (show === 'versions') return <VersionList key={prefix} bucket={bucket} prefix={prefix} />
  if (show === 'uploads') return <UnfinishedUploads bucket={bucket} />
  if (show === 'settings') {
    return (
      <Refusals>
        <BucketSettings bucket={bucket} />
      </Refusals>
    )
  }
  return <ObjectList key={`${prefix}\n${at ?? ''}`} bucket={bucket} prefix={prefix} at={at} onGone={onGone} />
}
