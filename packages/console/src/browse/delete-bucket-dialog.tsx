import { FormDialog } from '../components/form-dialog.tsx'
import { showToast } from '../components/toasts.tsx'
import { linkTo } from '../router/route.ts'
import { deleteBucket } from '../s3/buckets.ts'
import { useConnection } from '../session/use-connection.ts'
import { hasCode } from '../transport/failures.ts'

export interface DeleteBucketDialogProps {
  readonly bucket: string
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteBucketDialog({ bucket, onClose, onDeleted }: DeleteBucketDialogProps) {
  const connection = useConnection()
  return (
    <FormDialog
      title={`Delete the bucket ${bucket}?`}
      action="Delete"
      kind="danger"
      onSubmit={async () => {
        await deleteBucket(connection, bucket)
        showToast({ text: `Deleted the bucket ${bucket}.` })
        onDeleted()
      }}
      onClose={onClose}
      adviseOn={(error) =>
        hasCode(error, 'BucketNotEmpty') && (
          <p>
            It still holds objects, or versions of deleted ones.{' '}
            <a href={linkTo(['browse', bucket], { show: 'versions' })} onClick={onClose}>
              Show what is left
            </a>
          </p>
        )
      }
    >
      <p>Only an empty bucket can be deleted. Its name is free afterwards.</p>
    </FormDialog>
  )
}
