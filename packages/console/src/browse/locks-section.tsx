import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { dateText } from '../components/formats.ts'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useLoad } from '../components/use-load.ts'
import { putLegalHold, putRetention } from '../s3/annotations.ts'
import { getObjectLock } from '../s3/object-lock.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import type { ObjectFacts } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'

export interface LocksSectionProps {
  readonly object: ObjectReference
  readonly facts: ObjectFacts
  readonly canEdit: boolean
  readonly onChanged: () => void
}

/** Retention and legal hold, in a bucket with object lock. */
export function LocksSection({ object, facts, canEdit, onChanged }: LocksSectionProps) {
  const connection = useConnection()
  const lock = useLoad((signal) => getObjectLock(connection, object.bucket, signal), [connection])
  const [isEditing, setEditing] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  if (lock.state !== 'ready' || !lock.value.isEnabled) return null
  const toggleHold = async (): Promise<void> => {
    setFailure(undefined)
    try {
      await putLegalHold(connection, object, !facts.hasLegalHold)
      onChanged()
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <section class="stack tight">
      <h3>Locks</h3>
      <div class="cluster">
        <span class="grow">
          {facts.retention === undefined
            ? 'No retention'
            : `${facts.retention.mode} until ${dateText(facts.retention.until)}`}
        </span>
        {canEdit && <Button onClick={() => setEditing(true)}>Change…</Button>}
      </div>
      <div class="cluster">
        <span class="grow">{facts.hasLegalHold ? 'Legal hold: it cannot be deleted' : 'No legal hold'}</span>
        {canEdit && <Button onClick={() => void toggleHold()}>{facts.hasLegalHold ? 'Release' : 'Hold'}</Button>}
      </div>
      {failure !== undefined && <ErrorMessage error={failure} />}
      {isEditing && (
        <RetentionDialog object={object} facts={facts} onClose={() => setEditing(false)} onChanged={onChanged} />
      )}
    </section>
  )
}

const modes = [
  { value: 'GOVERNANCE', label: 'Governance: a permission can shorten it' },
  { value: 'COMPLIANCE', label: 'Compliance: it can never be shortened' },
] as const

type Mode = (typeof modes)[number]['value']

function RetentionDialog({
  object,
  facts,
  onClose,
  onChanged,
}: Omit<LocksSectionProps, 'canEdit'> & { readonly onClose: () => void }) {
  const connection = useConnection()
  const [mode, setMode] = useState<Mode>(facts.retention?.mode === 'COMPLIANCE' ? 'COMPLIANCE' : 'GOVERNANCE')
  const [until, setUntil] = useState(facts.retention === undefined ? '' : localText(facts.retention.until))
  const date = new Date(until)
  const problem = until !== '' && date <= connection.now() ? 'Choose a time in the future.' : undefined
  return (
    <FormDialog
      title="Retention"
      action="Lock"
      isValid={until !== '' && problem === undefined}
      onClose={onClose}
      onSubmit={async () => {
        await putRetention(connection, object, { mode, until: date })
        onChanged()
      }}
    >
      <p class="quiet">Until then, this version cannot be deleted or replaced.</p>
      <SelectField
        label="Mode"
        value={mode}
        options={modes}
        onChange={(value) => setMode(value === 'COMPLIANCE' ? 'COMPLIANCE' : 'GOVERNANCE')}
      />
      <TextField label="Until" type="datetime-local" value={until} onInput={setUntil} problem={problem} required />
    </FormDialog>
  )
}

/** As a field for dates wants it: local time without a zone. */
function localText(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
