import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { PairsField } from '../components/pairs-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { getTags, putTags, type Tag } from '../s3/annotations.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { useConnection } from '../session/use-connection.ts'
import { problemOfTags } from './metadata-rules.ts'

/** S3 allows 10 tags for an object. */
const tagsMax = 10

export function TagsSection({ object, canEdit }: { readonly object: ObjectReference; readonly canEdit: boolean }) {
  const connection = useConnection()
  const tags = useLoad((signal) => getTags(connection, object, signal), [connection])
  const [isEditing, setEditing] = useState(false)
  return (
    <section class="stack tight">
      <header class="cluster">
        <h3 class="grow">Tags</h3>
        {canEdit && tags.state === 'ready' && <Button onClick={() => setEditing(true)}>Change…</Button>}
      </header>
      {tags.state === 'failed' && <ErrorMessage error={tags.error} onRetry={tags.reload} />}
      {tags.state === 'ready' && tags.value.length === 0 && <p class="quiet">No tags.</p>}
      {tags.state === 'ready' && tags.value.length > 0 && (
        <ul class="chips">
          {tags.value.map(({ name, value }) => (
            <li key={name}>
              {name}: {value}
            </li>
          ))}
        </ul>
      )}
      {isEditing && tags.state === 'ready' && (
        <TagsDialog
          tags={tags.value}
          max={tagsMax}
          onSave={async (changed) => {
            await putTags(connection, object, changed)
            tags.reload()
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </section>
  )
}

export interface TagsDialogProps {
  readonly tags: readonly Tag[]
  readonly max: number
  readonly onSave: (tags: readonly Tag[]) => Promise<void>
  readonly onClose: () => void
}

export function TagsDialog({ tags, max, onSave, onClose }: TagsDialogProps) {
  const [changed, setChanged] = useState(tags)
  const problem = problemOfTags(changed, max)
  return (
    <FormDialog
      title="Change tags"
      action="Save"
      isValid={problem === undefined}
      onSubmit={() => onSave(changed)}
      onClose={onClose}
    >
      <PairsField legend={`Tags, at most ${max}`} pairs={changed} onChange={setChanged} max={max} problem={problem} />
    </FormDialog>
  )
}
