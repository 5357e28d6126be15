import { useState } from 'preact/hooks'
import { CheckField } from '../components/check-field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { navigate } from '../router/router.ts'
import { createBucket } from '../s3/buckets.ts'
import { useConnection } from '../session/use-connection.ts'
import { problemOfBucketName } from '../s3/bucket-names.ts'

export function CreateBucketDialog({ onClose }: { readonly onClose: () => void }) {
  const connection = useConnection()
  const [name, setName] = useState('')
  const [objectLock, setObjectLock] = useState(false)
  const problem = problemOfBucketName(name)
  return (
    <FormDialog
      title="Create a bucket"
      action="Create"
      isValid={name !== '' && problem === undefined}
      onSubmit={async () => {
        await createBucket(connection, name, { objectLock })
        navigate(['browse', name])
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        problem={problem}
        hint="For example: photos-2026"
        required
      />
      <CheckField
        label="Object lock: versions can be protected from deletion. It cannot be turned off again."
        isChecked={objectLock}
        onChange={setObjectLock}
      />
    </FormDialog>
  )
}
