import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { bytesText, dateText, visible } from '../components/formats.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import type { ObjectFacts } from '../s3/objects.ts'
import { LocksSection } from './locks-section.tsx'
import { MetadataDialog } from './metadata-dialog.tsx'
import { TagsSection } from './tags-section.tsx'

export interface ObjectDetailsProps {
  readonly object: ObjectReference
  readonly facts: ObjectFacts
  readonly onChanged: () => void
}

export function ObjectDetails({ object, facts, onChanged }: ObjectDetailsProps) {
  const [isEditing, setEditing] = useState(false)
  const canEdit = object.at === undefined
  const metadata = Object.entries(facts.metadata)
  return (
    <div class="stack">
      <dl class="facts">
        <dt>Size</dt>
        <dd>
          {bytesText(facts.size)} ({facts.size.toLocaleString()} bytes)
        </dd>
        <dt>Last change</dt>
        <dd>{dateText(facts.lastModified)}</dd>
        {facts.versionId !== undefined && (
          <>
            <dt>Version</dt>
            <dd class="key">{facts.versionId}</dd>
          </>
        )}
        <dt>ETag</dt>
        <dd class="key">{facts.etag.replaceAll('"', '')}</dd>
        {facts.encryption !== undefined && (
          <>
            <dt>Encryption</dt>
            <dd>{facts.encryption}</dd>
          </>
        )}
      </dl>
      <section class="stack tight">
        <header class="cluster">
          <h3 class="grow">Metadata</h3>
          {canEdit && object.versionId === undefined && <Button onClick={() => setEditing(true)}>Change…</Button>}
        </header>
        <dl class="facts">
          {[...Object.entries(facts.headers), ...metadata].map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{visible(value)}</dd>
            </>
          ))}
        </dl>
      </section>
      <TagsSection object={object} canEdit={canEdit} />
      <LocksSection object={object} facts={facts} canEdit={canEdit} onChanged={onChanged} />
      {isEditing && (
        <MetadataDialog object={object} facts={facts} onClose={() => setEditing(false)} onChanged={onChanged} />
      )}
    </div>
  )
}
