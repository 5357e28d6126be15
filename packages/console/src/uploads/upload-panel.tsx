import { useEffect } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText } from '../components/formats.ts'
import { cancelUpload, clearFinished, isSending, resumeUpload, type Upload, uploads } from './upload-queue.ts'

/** The uploads of this page, at its bottom, on every page. */
export function UploadPanel() {
  useEffect(() => {
    if (!isSending.value) return
    // The browser asks before it leaves the page, because leaving would stop the uploads.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isSending.value])
  const all = uploads.value
  if (all.length === 0) return null
  const done = all.filter(({ state }) => state === 'done').length
  return (
    <aside class="upload-panel" aria-label="Uploads" data-returns-focus>
      <header class="cluster">
        <strong class="grow" role="status">
          {isSending.value ? `Uploading: ${done} of ${all.length} done` : `${done} of ${all.length} uploaded`}
        </strong>
        {!isSending.value && <Button onClick={clearFinished}>Close</Button>}
      </header>
      <ul>
        {all.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </aside>
  )
}

const names: Readonly<Record<Upload['state'], string>> = {
  waiting: 'Waiting',
  sending: 'Uploading',
  done: 'Done',
  failed: 'Stopped',
  cancelled: 'Cancelled',
}

function UploadRow({ upload: { id, object, size, bytesSent, state, error } }: { readonly upload: Upload }) {
  const isOpen = state === 'waiting' || state === 'sending' || state === 'failed'
  const name = object.key.split('/').at(-1) ?? object.key
  return (
    <li>
      <div class="cluster">
        <span class="grow cut" title={object.key}>
          {name}
        </span>
        <span class="small quiet">
          {state === 'sending' ? `${bytesText(bytesSent)} of ${bytesText(size)}` : names[state]}
        </span>
        {state === 'failed' && <Button onClick={() => resumeUpload(id)}>Resume</Button>}
        {isOpen && (
          <Button kind="quiet" label={`Cancel ${name}`} onClick={() => void cancelUpload(id)}>
            Cancel
          </Button>
        )}
      </div>
      {(state === 'sending' || state === 'waiting') && (
        <progress value={bytesSent} max={Math.max(size, 1)} aria-label={`Upload of ${name}`} />
      )}
      {state === 'failed' && error !== undefined && <ErrorMessage error={error} />}
    </li>
  )
}
