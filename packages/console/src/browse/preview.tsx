import { useEffect, useState } from 'preact/hooks'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText } from '../components/formats.ts'
import { useLoad } from '../components/use-load.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { type ObjectFacts, presignObject, readBytes } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'
import { looksLikeText, previewKindOf } from './preview-kinds.ts'

export interface PreviewProps {
  readonly object: ObjectReference
  readonly facts: ObjectFacts
}

const textMax = 256 * 1024
const pdfMax = 64 * 1024 ** 2
/** Videos load piece by piece while they play. */
const mediaSeconds = 86_400

/** Shows an object. Content is never run: pages and scripts are shown as text. */
export function Preview({ object, facts }: PreviewProps) {
  const kind = previewKindOf(facts.contentType, object.key)
  if (facts.size === 0) return <p class="quiet">The object is empty.</p>
  if (kind === 'pdf') return <PdfPreview object={object} facts={facts} />
  if (kind === 'image' || kind === 'video' || kind === 'audio') return <MediaPreview object={object} kind={kind} />
  return <TextPreview object={object} facts={facts} isJson={kind === 'json'} />
}

interface MediaPreviewProps {
  readonly object: ObjectReference
  readonly kind: 'image' | 'video' | 'audio'
}

function MediaPreview({ object, kind }: MediaPreviewProps) {
  const connection = useConnection()
  const [hasFailed, setFailed] = useState(false)
  // Made once: a new URL would begin the video anew.
  const [url] = useState(() => presignObject(connection, object, { expiresSeconds: mediaSeconds }))
  const fail = (): void => setFailed(true)
  if (hasFailed)
    return <p>The browser cannot show this. It may be of another kind than its content type, or damaged.</p>
  return (
    <div class="preview">
      {kind === 'image' && <img src={url} alt={`Preview of ${object.key}`} onError={fail} />}
      {kind === 'video' && <video src={url} controls preload="metadata" onError={fail} />}
      {kind === 'audio' && <audio src={url} controls preload="metadata" onError={fail} />}
    </div>
  )
}

function PdfPreview({ object, facts }: PreviewProps) {
  const connection = useConnection()
  const isTooLarge = facts.size > pdfMax
  const loaded = useLoad(
    async (signal) => (isTooLarge ? undefined : readBytes(connection, object, { max: pdfMax, signal })),
    [connection],
  )
  const [url, setUrl] = useState<string>()
  const bytes = loaded.state === 'ready' ? loaded.value : undefined
  useEffect(() => {
    if (bytes === undefined) return
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (isTooLarge) return <p>The document is larger than {bytesText(pdfMax)}. Download it to read it.</p>
  if (loaded.state === 'failed') return <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
  if (url === undefined) return <p role="status">Loading…</p>
  return <iframe class="preview" src={url} title={`Preview of ${object.key}`} />
}

function TextPreview({ object, facts, isJson }: PreviewProps & { readonly isJson: boolean }) {
  const connection = useConnection()
  const loaded = useLoad(
    async (signal) => (await readBytes(connection, object, { max: textMax, signal })).text(),
    [connection],
  )
  if (loaded.state === 'loading') return <p role="status">Loading…</p>
  if (loaded.state === 'failed') return <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
  if (!looksLikeText(loaded.value)) return <p>There is no preview of this kind of object. Download it to open it.</p>
  const isWhole = facts.size <= textMax
  return (
    <>
      <pre class="preview text" tabIndex={0}>
        {isJson && isWhole ? indented(loaded.value) : loaded.value}
      </pre>
      {!isWhole && (
        <p class="small quiet">
          The first {bytesText(textMax)} of {bytesText(facts.size)}.
        </p>
      )}
    </>
  )
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
