import { useEffect, useRef, useState } from 'preact/hooks'
import { ErrorMessage } from '../components/error-message.tsx'
import { visible } from '../components/formats.ts'
import { type Loaded, useLoad } from '../components/use-load.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { headObject, type ObjectFacts } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'
import { hasCode } from '../transport/failures.ts'
import { arrivals } from '../uploads/upload-queue.ts'
import { ObjectActions } from './object-actions.tsx'
import { ObjectDetails } from './object-details.tsx'
import { ObjectVersions } from './object-versions.tsx'
import { Preview } from './preview.tsx'

export interface ObjectPanelProps {
  readonly object: ObjectReference
  readonly closeLink: string
}

const tabs = ['Preview', 'Details', 'Versions'] as const
type Tab = (typeof tabs)[number]

/** One object, or one version of it, beside the list. */
export function ObjectPanel({ object, closeLink }: ObjectPanelProps) {
  const connection = useConnection()
  const heading = useRef<HTMLHeadingElement>(null)
  const [tab, setTab] = useState<Tab>('Preview')
  const facts = useLoad((signal) => headObject(connection, object, signal), [connection, arrivals.value])
  useEffect(() => heading.current?.focus(), [])
  const name = object.key.split('/').findLast((segment) => segment !== '') ?? object.key
  return (
    <aside
      class="object-panel"
      data-returns-focus
      data-key={visible(object.key)}
      aria-label={`Object ${visible(name)}`}
      onKeyDown={(event) => {
        const isInDialog = (event.target as Element).closest('dialog') !== null
        if (event.key === 'Escape' && !isInDialog) location.hash = closeLink
      }}
    >
      <header>
        <h2 ref={heading} tabIndex={-1} title={visible(name)}>
          {visible(name)}
        </h2>
        <a class="button quiet" href={closeLink} aria-label="Close">
          ×
        </a>
      </header>
      {name !== object.key && <p class="key small quiet">{visible(object.key)}</p>}
      {facts.state === 'ready' && <ObjectActions object={object} etag={facts.value.etag} closeLink={closeLink} />}
      <nav class="tabs" aria-label="Views of the object">
        {tabs.map((one) => (
          <button key={one} type="button" aria-pressed={one === tab} onClick={() => setTab(one)}>
            {one}
          </button>
        ))}
      </nav>
      {tab === 'Versions' ? <ObjectVersions object={object} /> : <ObjectView tab={tab} object={object} facts={facts} />}
    </aside>
  )
}

interface ObjectViewProps {
  readonly tab: 'Preview' | 'Details'
  readonly object: ObjectReference
  readonly facts: Loaded<ObjectFacts>
}

function ObjectView({ tab, object, facts }: ObjectViewProps) {
  if (facts.state === 'loading') return <p role="status">Loading…</p>
  if (facts.state === 'failed') {
    // A delete marker answers MethodNotAllowed.
    return hasCode(facts.error, 'NotFound', 'NoSuchKey', 'MethodNotAllowed') ? (
      <p>There is no such object now. If it was deleted, its versions are under “Versions”.</p>
    ) : (
      <ErrorMessage error={facts.error} onRetry={facts.reload} />
    )
  }
  return tab === 'Preview' ? (
    <Preview object={object} facts={facts.value} />
  ) : (
    <ObjectDetails object={object} facts={facts.value} onChanged={facts.reload} />
  )
}
