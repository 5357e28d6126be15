import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { dateText, visible } from '../components/formats.ts'
import { usePages } from '../components/use-pages.ts'
import { listUploads, type UploadEntry } from '../s3/listings.ts'
import { abortUpload } from '../s3/uploads.ts'
import { useConnection } from '../session/use-connection.ts'
import { FileButton } from '../uploads/file-button.tsx'
import { addUploads } from '../uploads/upload-queue.ts'

/** Uploads in parts that were begun and not completed, also by other programs. */
export function UnfinishedUploads({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const pages = usePages(
    (from: Parameters<typeof listUploads>[1]['from'], signal) => listUploads(connection, { bucket, from, signal }),
    [connection, bucket],
  )
  const [failure, setFailure] = useState<unknown>()
  const abort = async ({ key, uploadId }: UploadEntry): Promise<void> => {
    setFailure(undefined)
    try {
      await abortUpload(connection, { bucket, key, uploadId })
      pages.reload()
    } catch (error) {
      setFailure(error)
    }
  }
  if (pages.error !== undefined) return <ErrorMessage error={pages.error} onRetry={pages.retry} />
  if (pages.rows.length === 0) {
    return pages.isLoading ? (
      <p role="status">Loading…</p>
    ) : (
      <EmptyState title="No unfinished uploads">
        <p>An upload that is cut off stays here, with the parts that arrived, until you continue or remove it.</p>
      </EmptyState>
    )
  }
  return (
    <>
      {failure !== undefined && <ErrorMessage error={failure} />}
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Begun</th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {pages.rows.map((upload) => (
            <tr key={upload.uploadId}>
              <td>{visible(upload.key)}</td>
              <td>{dateText(upload.initiated)}</td>
              <td class="actions">
                <ResumeButton bucket={bucket} upload={upload} />
                <Button
                  kind="quiet"
                  label={`Remove the upload of ${visible(upload.key)}`}
                  onClick={() => void abort(upload)}
                >
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!pages.isComplete && <Button onClick={pages.loadMore}>Show more</Button>}
    </>
  )
}

/** A page cannot keep a file, so the person chooses it again. What arrived must be of the same file, and is not sent again. */
function ResumeButton({ bucket, upload }: { readonly bucket: string; readonly upload: UploadEntry }) {
  const { key, uploadId } = upload
  return (
    <FileButton
      label={`File to continue ${visible(key)} with`}
      buttonLabel={`Continue the upload of ${visible(key)}`}
      onChoose={(file) => addUploads([{ file, object: { bucket, key }, uploadId }])}
    >
      Continue…
    </FileButton>
  )
}
