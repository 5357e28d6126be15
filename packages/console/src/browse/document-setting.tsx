import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { TextArea } from '../components/text-area.tsx'
import { useLoad } from '../components/use-load.ts'
import { deleteDocument, getDocument, putDocument } from '../s3/settings.ts'
import { useConnection } from '../session/use-connection.ts'
import { SettingCard } from './setting-card.tsx'
import { type DocumentKind, documentSettings, indentedDocument } from './setting-documents.ts'

/** A setting that is written as a document. It is checked here first; the errors of the server are shown after. */
export function DocumentSetting({ bucket, kind }: { readonly bucket: string; readonly kind: DocumentKind }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => getDocument(connection, { bucket, kind }, signal), [connection, bucket])
  const [window, setWindow] = useState<'change' | 'remove'>()
  const { title, about, example } = documentSettings[kind]
  return (
    <SettingCard title={title} about={about} loaded={loaded}>
      {(text) => (
        <>
          {text === undefined ? <p>None.</p> : <pre class="document">{indentedDocument(text)}</pre>}
          <div class="cluster">
            <Button onClick={() => setWindow('change')}>{text === undefined ? 'Add…' : 'Change…'}</Button>
            {text !== undefined && <Button onClick={() => setWindow('remove')}>Remove…</Button>}
          </div>
          {window === 'change' && (
            <DocumentDialog
              kind={kind}
              text={text === undefined ? example(bucket) : indentedDocument(text)}
              onClose={() => setWindow(undefined)}
              onSave={async (changed) => {
                await putDocument(connection, { bucket, kind }, changed)
                loaded.reload()
              }}
            />
          )}
          {window === 'remove' && (
            <FormDialog
              title={`Remove: ${title}`}
              action="Remove"
              kind="danger"
              onClose={() => setWindow(undefined)}
              onSubmit={async () => {
                await deleteDocument(connection, { bucket, kind })
                loaded.reload()
              }}
            >
              <p>The bucket then behaves as if it never had this setting.</p>
            </FormDialog>
          )}
        </>
      )}
    </SettingCard>
  )
}

interface DocumentDialogProps {
  readonly kind: DocumentKind
  readonly text: string
  readonly onSave: (text: string) => Promise<void>
  readonly onClose: () => void
}

function DocumentDialog({ kind, text, onSave, onClose }: DocumentDialogProps) {
  const [changed, setChanged] = useState(text)
  const { title, problemOf } = documentSettings[kind]
  const problem = problemOf(changed)
  return (
    <FormDialog
      title={title}
      action="Save"
      size="wide"
      isValid={problem === undefined}
      onSubmit={() => onSave(changed.trim())}
      onClose={onClose}
    >
      <TextArea label="Document" value={changed} onInput={setChanged} problem={problem} />
    </FormDialog>
  )
}
