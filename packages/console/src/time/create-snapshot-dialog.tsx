import { useState } from 'preact/hooks'
import { FormDialog } from '../components/form-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { showToast } from '../components/toasts.tsx'
import { useConnection } from '../session/use-connection.ts'
import { createSnapshot } from './snapshots.ts'

export interface CreateSnapshotDialogProps {
  readonly at: string | undefined
  readonly onClose: () => void
  readonly onDone?: () => void
}

/** As the server takes them: 1 to 20 of a-z and 0-9 with single hyphens between them, beginning with a letter. */
const namePattern = /^(?=.{1,20}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/

export function CreateSnapshotDialog({ at, onClose, onDone }: CreateSnapshotDialogProps) {
  const connection = useConnection()
  const [name, setName] = useState('')
  const isValid = namePattern.test(name)
  return (
    <FormDialog
      title="Keep a state of the store"
      action="Create the snapshot"
      isValid={isValid}
      onSubmit={async () => {
        await createSnapshot(connection, { name, at })
        showToast({ text: `Created the snapshot ${name}.` })
        onDone?.()
      }}
      onClose={onClose}
    >
      <p class="quiet">
        A snapshot names the store as it {at === undefined ? 'is now' : 'was then'}, and keeps all its bytes until you
        delete the snapshot.
      </p>
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        problem={name === '' || isValid ? undefined : 'Use up to 20 of a to z, 0 to 9 and single hyphens.'}
        required
      />
    </FormDialog>
  )
}
