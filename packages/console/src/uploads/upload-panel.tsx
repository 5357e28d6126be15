import { useEffect } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { bytesText } from '../components/formats.ts'
import { needsNoChoice, StoppedUpload } from './stopped-upload.tsx'
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

function UploadRow({ upload }: { readonly upload: Upload }) {
  const { id, object, size, bytesSent, state, error } = upload
  const isRunning = state === 'waiting' || state === 'sending'
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
        {state === 'failed' && needsNoChoice(error) && <Button onClick={() => resumeUpload(id)}>Resume</Button>}
        {(isRunning || (state === 'failed' && needsNoChoice(error))) && (
          <Button kind="quiet" label={`Cancel ${name}`} onClick={() => void cancelUpload(id)}>
            Cancel
          </Button>
        )}
      </div>
      {isRunning && <progress value={bytesSent} max={Math.max(size, 1)} aria-label={`Upload of ${name}`} />}
      {state === 'failed' && error !== undefined && <StoppedUpload id={id} name={name} error={error} />}
    </li>
  )
}
