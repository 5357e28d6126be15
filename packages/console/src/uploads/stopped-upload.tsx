import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { FileButton } from './file-button.tsx'
import { FileChanged, NotTheSameFile } from './same-file.ts'
import { acceptTime, chooseOther, leaveUpload, startAgain, UploadGone } from './upload-queue.ts'

/** Errors after which the same file can be sent on. After the others, the person decides. */
export const needsNoChoice = (error: unknown): boolean =>
  !(error instanceof NotTheSameFile || error instanceof FileChanged || error instanceof UploadGone)

interface StoppedUploadProps {
  readonly id: number
  readonly name: string
  readonly error: unknown
}

/** Why an upload stopped, and what a person can do about it. */
export function StoppedUpload({ id, name, error }: StoppedUploadProps) {
  if (needsNoChoice(error)) return <ErrorMessage error={error} />
  const { title, advice } = explain(error)
  return (
    <div class="error-message" role="alert">
      <strong>{title}</strong>
      {advice !== '' && <p>{advice}</p>}
      <div class="cluster">
        {error instanceof NotTheSameFile && error.reason === 'time' && (
          <Button kind="primary" onClick={() => acceptTime(id)}>
            Continue with it
          </Button>
        )}
        {!(error instanceof UploadGone) && (
          <FileButton label={`Other file for ${name}`} onChoose={(file) => chooseOther(id, file)}>
            {error instanceof FileChanged ? 'Choose the file again…' : 'Choose another file…'}
          </FileButton>
        )}
        {!(error instanceof FileChanged) && <Button onClick={() => startAgain(id)}>Start again with this file</Button>}
        <Button kind="quiet" onClick={() => leaveUpload(id)}>
          Leave it
        </Button>
      </div>
    </div>
  )
}

const unchanged = 'Nothing was sent. “Start again” replaces what arrived before.'

function explain(error: unknown): { readonly title: string; readonly advice: string } {
  const message = error instanceof Error ? error.message : ''
  if (!(error instanceof NotTheSameFile)) return { title: message, advice: '' }
  const title = error.reason === 'checksums' ? 'This upload cannot be continued here.' : titles[error.reason]
  return { title, advice: `${message} ${unchanged}` }
}

const titles = {
  size: 'This is not the file that the upload was begun with.',
  parts: 'This is not the file that the upload was begun with.',
  time: 'The file has another time than the one that the upload was begun with.',
} as const
