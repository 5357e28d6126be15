import { FormDialog } from '../components/form-dialog.tsx'
import { visible } from '../components/formats.ts'
import { useConnection } from '../session/use-connection.ts'
import { chosenText, type DeleteChoice, startDeletion } from './delete-objects.ts'

export interface DeleteDialogProps {
  readonly choice: DeleteChoice
  readonly onClose: () => void
  /** Called when the deletion begins. */
  readonly onStart?: () => void
  /** Called when it has ended, also if it was stopped. */
  readonly onDeleted: () => void
}

/** Asks. The deletion is work that goes on without the dialog. */
export function DeleteDialog({ choice, onClose, onStart, onDeleted }: DeleteDialogProps) {
  const connection = useConnection()
  const isForGood = choice.targets.some(({ versionId }) => versionId !== undefined)
  return (
    <FormDialog
      title={isForGood ? 'Delete these versions for good?' : 'Delete?'}
      action="Delete"
      kind="danger"
      onSubmit={async () => {
        startDeletion(connection, choice, onDeleted)
        onStart?.()
      }}
      onClose={onClose}
    >
      <Chosen choice={choice} />
      <p class="quiet">
        {isForGood
          ? 'A deleted version is gone from its bucket. You can undo this until the store erases the bytes, as its retention defines.'
          : 'You can undo this afterwards.'}
      </p>
    </FormDialog>
  )
}

function Chosen({ choice }: { readonly choice: DeleteChoice }) {
  const { targets, prefixes } = choice
  const [only = ''] = [...targets.map(({ key }) => key), ...prefixes]
  if (targets.length + prefixes.length > 1) return <p>{chosenText(choice)}</p>
  return (
    <p>
      {prefixes.length === 1 && 'Everything in the folder '}
      <span class="key">{visible(only)}</span>
    </p>
  )
}
