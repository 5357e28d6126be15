import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import type { ObjectReference } from '../s3/object-reference.ts'
import { presignObject } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'
import { arrivals } from '../uploads/upload-queue.ts'
import { CopyDialog } from './copy-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

export interface ObjectActionsProps {
  readonly object: ObjectReference
  readonly closeLink: string
}

type Window = 'share' | 'copy' | 'delete'

/** Long enough for a slow download to begin. */
const downloadSeconds = 3600

export function ObjectActions({ object, closeLink }: ObjectActionsProps) {
  const connection = useConnection()
  const [window, setWindow] = useState<Window>()
  const close = (): void => setWindow(undefined)
  const downloadAs = object.key.split('/').at(-1) || 'object'
  const isPast = object.at !== undefined
  return (
    <div class="cluster">
      <a
        class="button primary"
        href={presignObject(connection, object, { expiresSeconds: downloadSeconds, downloadAs })}
        download={downloadAs}
      >
        Download
      </a>
      <Button onClick={() => setWindow('share')}>Share</Button>
      <Button onClick={() => setWindow('copy')}>{isPast ? 'Copy' : 'Copy or move'}</Button>
      {!isPast && (
        <Button kind="danger" onClick={() => setWindow('delete')}>
          Delete
        </Button>
      )}
      {window === 'share' && <ShareDialog object={object} onClose={close} />}
      {window === 'copy' && <CopyDialog object={object} onClose={close} />}
      {window === 'delete' && (
        <DeleteDialog
          choice={{ bucket: object.bucket, targets: [targetOf(object)], prefixes: [] }}
          onClose={close}
          onDeleted={() => {
            arrivals.value++
            location.hash = closeLink
          }}
        />
      )}
    </div>
  )
}

const targetOf = ({ key, versionId }: ObjectReference) => ({ key, ...(versionId !== undefined && { versionId }) })
