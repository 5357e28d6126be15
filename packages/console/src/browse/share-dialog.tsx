import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { dateText } from '../components/formats.ts'
import { SelectField } from '../components/select-field.tsx'
import { showToast } from '../components/toasts.tsx'
import type { ObjectReference } from '../s3/object-reference.ts'
import { presignObject } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'

const times = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days (the longest)' },
] as const

/** A link that works for anyone who has it, until it expires. */
export function ShareDialog({ object, onClose }: { readonly object: ObjectReference; readonly onClose: () => void }) {
  const connection = useConnection()
  const [seconds, setSeconds] = useState('3600')
  const [isDownload, setDownload] = useState('show')
  const expiresSeconds = Number(seconds)
  const name = object.key.split('/').at(-1) || 'object'
  const link = presignObject(connection, object, {
    expiresSeconds,
    ...(isDownload === 'save' && { downloadAs: name }),
  })
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link)
      showToast({ text: 'The link is in the clipboard.' })
    } catch {
      showToast({ kind: 'failed', text: 'This browser does not let the page copy. Select the link, and copy it.' })
    }
  }
  return (
    <Dialog title="Share a link" onClose={onClose}>
      <div class="stack">
        <SelectField label="It works for" value={seconds} onChange={setSeconds} options={times} />
        <SelectField
          label="The browser"
          value={isDownload}
          onChange={setDownload}
          options={[
            { value: 'show', label: 'shows the object' },
            { value: 'save', label: 'saves the object as a file' },
          ]}
        />
        <div class="field">
          <label for="shared-link">Link</label>
          <textarea
            id="shared-link"
            class="short"
            readOnly
            value={link}
            onFocus={(event) => event.currentTarget.select()}
          />
          <p class="hint">
            Anyone who has the link can read the object until{' '}
            {dateText(new Date(connection.now().getTime() + expiresSeconds * 1000))}, as long as your key works and may
            read it.
          </p>
        </div>
        <div class="cluster end">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" onClick={() => void copy()}>
            Copy the link
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
