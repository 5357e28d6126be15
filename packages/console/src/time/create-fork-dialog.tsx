import { useState } from 'preact/hooks'
import { problemOfBucketName } from '../s3/bucket-names.ts'
import { FormDialog } from '../components/form-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { navigate } from '../router/router.ts'
import { useConnection } from '../session/use-connection.ts'
import { createFork } from './snapshots.ts'

export interface CreateForkDialogProps {
  readonly bucket: string
  readonly at: string | undefined
  readonly onClose: () => void
}

export function CreateForkDialog({ bucket, at, onClose }: CreateForkDialogProps) {
  const connection = useConnection()
  const [name, setName] = useState(`${bucket}-try`)
  const problem = problemOfBucketName(name)
  return (
    <FormDialog
      title={`Fork ${bucket}`}
      action="Fork"
      isValid={name !== '' && problem === undefined}
      onSubmit={async () => {
        await createFork(connection, { bucket, name, at })
        navigate(['browse', name])
      }}
      onClose={onClose}
    >
      <p class="quiet">
        A fork begins as {bucket} {at === undefined ? 'is now' : 'was then'}, and copies no bytes. What you change in it
        changes nothing in {bucket}.
      </p>
      <TextField label="Name of the fork" value={name} onInput={setName} problem={problem} required />
    </FormDialog>
  )
}
