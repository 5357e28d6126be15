import { useState } from 'preact/hooks'
import { FormDialog } from '../components/form-dialog.tsx'
import { countText, visible } from '../components/formats.ts'
import { useConnection } from '../session/use-connection.ts'
import { deleteChosen, type DeleteChoice, showDeletion } from './delete-objects.ts'

export interface DeleteDialogProps {
  readonly choice: DeleteChoice
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteDialog({ choice, onClose, onDeleted }: DeleteDialogProps) {
  const connection = useConnection()
  const [deleted, setDeleted] = useState<number>()
  const isForGood = choice.targets.some(({ versionId }) => versionId !== undefined)
  return (
    <FormDialog
      title={isForGood ? 'Delete these versions for good?' : 'Delete?'}
      action="Delete"
      kind="danger"
      onSubmit={async () => {
        try {
          showDeletion(connection, await deleteChosen(connection, choice, setDeleted))
        } finally {
          onDeleted()
        }
      }}
      onClose={onClose}
    >
      <Chosen choice={choice} isForGood={isForGood} />
      <p class="quiet">
        {isForGood
          ? 'A deleted version is gone from its bucket. You can undo this until the store erases the bytes, as its retention defines.'
          : 'You can undo this afterwards.'}
      </p>
      {deleted !== undefined && <p role="status">Deleted {deleted.toLocaleString()}…</p>}
    </FormDialog>
  )
}

function Chosen({ choice, isForGood }: { readonly choice: DeleteChoice; readonly isForGood: boolean }) {
  const { targets, prefixes } = choice
  const [only = ''] = [...targets.map(({ key }) => key), ...prefixes]
  if (targets.length + prefixes.length === 1) {
    return (
      <p>
        {prefixes.length === 1 && 'Everything in the folder '}
        <span class="key">{visible(only)}</span>
      </p>
    )
  }
  const parts = [
    ...(targets.length === 0 ? [] : [countText(targets.length, isForGood ? 'version' : 'object')]),
    ...(prefixes.length === 0 ? [] : [`everything in ${countText(prefixes.length, 'folder')}`]),
  ]
  return <p>{parts.join(' and ')}</p>
}
