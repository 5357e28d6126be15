import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText, dateText } from '../components/formats.ts'
import { showToast } from '../components/toasts.tsx'
import { useLoad } from '../components/use-load.ts'
import { linkTo } from '../router/route.ts'
import { listVersions, type VersionEntry } from '../s3/listings.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { copyObject, deleteObject } from '../s3/objects.ts'
import { useConnection } from '../session/use-connection.ts'
import { arrivals } from '../uploads/upload-queue.ts'
import { DeleteDialog } from './delete-dialog.tsx'

/** The newest ones; the list of all versions of the bucket has the others. */
const shownMax = 200

/** The versions of one key: look at one, bring one back, or delete one for good. */
export function ObjectVersions({ object: { bucket, key, versionId: shown } }: { readonly object: ObjectReference }) {
  const connection = useConnection()
  const versions = useLoad(
    async (signal) => {
      const { entries } = await listVersions(connection, { bucket, prefix: key, limit: shownMax, signal })
      return entries.filter((entry) => entry.key === key)
    },
    [connection, arrivals.value],
  )
  const [deleting, setDeleting] = useState<VersionEntry>()
  const [failure, setFailure] = useState<unknown>()

  /** An older version is copied to the front. A delete marker is removed, so that the version before it is current. */
  const bringBack = async (entry: VersionEntry): Promise<void> => {
    setFailure(undefined)
    const reference = { bucket, key, versionId: entry.versionId }
    try {
      await (entry.kind === 'deleteMarker'
        ? deleteObject(connection, reference)
        : copyObject(connection, { source: reference, target: { bucket, key } }))
      showToast({ text: 'It is the current version again.' })
      arrivals.value++
    } catch (error) {
      setFailure(error)
    }
  }

  if (versions.state === 'loading') return <p role="status">Loading…</p>
  if (versions.state === 'failed') return <ErrorMessage error={versions.error} onRetry={versions.reload} />
  if (versions.value.length === 0) return <p class="quiet">No versions.</p>
  return (
    <>
      {failure !== undefined && <ErrorMessage error={failure} />}
      <ul class="versions">
        {versions.value.map((entry) => (
          <li key={entry.versionId} class={entry.versionId === shown ? 'selected' : undefined}>
            <div class="grow">
              <a href={linkTo(['browse', bucket], { prefix: folderOf(key), key, version: entry.versionId })}>
                {dateText(entry.lastModified)}
              </a>
              <p class="small quiet">
                {entry.kind === 'deleteMarker' ? 'Deleted' : bytesText(entry.size)}
                {entry.isLatest && ', current'}
              </p>
            </div>
            {entry.isLatest === (entry.kind === 'deleteMarker') && (
              <Button onClick={() => void bringBack(entry)}>
                {entry.kind === 'deleteMarker' ? 'Undelete' : 'Bring back'}
              </Button>
            )}
            <Button
              kind="quiet"
              label={`Delete the version of ${dateText(entry.lastModified)} for good`}
              onClick={() => setDeleting(entry)}
            >
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {deleting !== undefined && (
        <DeleteDialog
          choice={{ bucket, targets: [deleting], prefixes: [] }}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => arrivals.value++}
        />
      )}
    </>
  )
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)
