import { useState } from 'preact/hooks'
import { CheckField } from '../components/check-field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { showToast } from '../components/toasts.tsx'
import { useLoad } from '../components/use-load.ts'
import { navigate } from '../router/router.ts'
import { listShownBuckets } from '../session/session.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { copyObject, deleteObject } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'
import { arrivals } from '../uploads/upload-queue.ts'

export interface CopyDialogProps {
  readonly object: ObjectReference
  /** The ETag of the object that the person sees. */
  readonly etag: string
  readonly onClose: () => void
}

/** Copies an object to another name or bucket; a move deletes the original after the copy. */
export function CopyDialog({ object, etag, onClose }: CopyDialogProps) {
  const connection = useConnection()
  const [bucket, setBucket] = useState(object.bucket)
  const [key, setKey] = useState(object.key)
  const [isMove, setMove] = useState(false)
  const buckets = useLoad((signal) => listShownBuckets(connection, signal), [connection])
  const names = buckets.state === 'ready' ? buckets.value.map(({ name }) => name) : [object.bucket]
  const isSame = bucket === object.bucket && key === object.key
  const canMove = object.versionId === undefined && object.at === undefined
  return (
    <FormDialog
      title="Copy or move"
      action={isMove ? 'Move' : 'Copy'}
      isValid={key !== '' && !isSame}
      onClose={onClose}
      onSubmit={async (signal) => {
        await copyObject(connection, { source: object, sourceETag: etag, target: { bucket, key }, signal })
        if (isMove && !signal.aborted) await deleteObject(connection, object, etag)
        const show = (): void => navigate(['browse', bucket], { prefix: folderOf(key), key })
        arrivals.value++
        if (signal.aborted) return
        if (isMove) show()
        showToast(isMove ? { text: 'Moved.' } : { text: 'Copied.', action: { label: 'Show', run: show } })
      }}
    >
      <SelectField
        label="To the bucket"
        value={bucket}
        onChange={setBucket}
        options={names.map((name) => ({ value: name, label: name }))}
      />
      <TextField
        label="Name"
        value={key}
        onInput={setKey}
        required
        problem={isSame ? 'Choose another name or another bucket.' : undefined}
        hint="The whole key, with its folders. An object of this name is replaced."
      />
      {canMove && <CheckField label="Delete the original after the copy" isChecked={isMove} onChange={setMove} />}
    </FormDialog>
  )
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)
