import { linkTo, type Route } from '../router/route.ts'
import { BucketSettings } from './bucket-settings.tsx'
import { navigate } from '../router/router.ts'
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
  const { show = '', prefix = '', key, version, at } = query
  return (
    <div class={key === undefined ? 'bucket-page' : 'bucket-page with-panel'}>
      <section class="page wide">
        <Breadcrumbs bucket={bucket} prefix={prefix} at={at} />
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
        {show === '' && (
          <TimeBar
            bucket={bucket}
            prefix={prefix}
            at={at}
            onMove={(moment) => navigate(['browse', bucket], { prefix, at: moment })}
          />
        )}
        <View show={show} bucket={bucket} prefix={prefix} at={at} />
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

interface ViewProps {
  readonly show: string
  readonly bucket: string
  readonly prefix: string
  readonly at: string | undefined
}

function View({ show, bucket, prefix, at }: ViewProps) {
  if (show === 'versions') return <VersionList key={prefix} bucket={bucket} prefix={prefix} />
  if (show === 'uploads') return <UnfinishedUploads bucket={bucket} />
  if (show === 'settings') return <BucketSettings bucket={bucket} />
  return <ObjectList key={`${prefix}\n${at ?? ''}`} bucket={bucket} prefix={prefix} at={at} />
}
