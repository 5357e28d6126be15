import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { dateText } from '../components/formats.ts'
import { useLoad } from '../components/use-load.ts'
import { TextField } from '../components/text-field.tsx'
import { navigate } from '../router/router.ts'
import { linkTo } from '../router/route.ts'
import type { BucketEntry } from '../s3/buckets.ts'
import { isRoot, listShownBuckets } from '../session/session.ts'
import { hasCode } from '../transport/failures.ts'
import { useConnection } from '../session/use-connection.ts'
import { CreateBucketDialog } from './create-bucket-dialog.tsx'
import { DeleteBucketDialog } from './delete-bucket-dialog.tsx'

export function BucketList() {
  const connection = useConnection()
  const buckets = useLoad((signal) => listShownBuckets(connection, signal), [connection])
  const [isCreating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<string>()
  const isUnlisted = buckets.state === 'failed' && hasCode(buckets.error, 'AccessDenied')
  const isBare = isUnlisted || (buckets.state === 'ready' && buckets.value.length === 0)
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create a bucket
    </Button>
  )
  return (
    <section class="page">
      <header class="cluster">
        <h1 class="grow">Buckets</h1>
        {isUnlisted || (isBare && isRoot.value) ? undefined : create}
      </header>
      {buckets.state === 'loading' && <p role="status">Loading…</p>}
      {isUnlisted && (
        <EmptyState title="Your key does not have the permission to list buckets.">
          <p>If it may use a bucket, open that by its name.</p>
          <OpenBucket />
        </EmptyState>
      )}
      {buckets.state === 'failed' && !isUnlisted && <ErrorMessage error={buckets.error} onRetry={buckets.reload} />}
      {buckets.state === 'ready' && buckets.value.length === 0 && (
        <EmptyState title={isRoot.value ? 'No buckets yet' : 'Your key owns no buckets'}>
          {isRoot.value ? (
            <p>A bucket holds objects. Create the first one here, or with any S3 client.</p>
          ) : (
            <p>S3 lists only the buckets of the key. If it may use a bucket of another owner, open that by its name.</p>
          )}
          {isRoot.value ? create : <OpenBucket />}
        </EmptyState>
      )}
      {buckets.state === 'ready' && buckets.value.length > 0 && (
        <BucketTable buckets={buckets.value} onDelete={setDeleting} />
      )}
      {buckets.state !== 'loading' && !(isBare && !isRoot.value) && <OpenBucket />}
      {isCreating && <CreateBucketDialog onClose={() => setCreating(false)} />}
      {deleting !== undefined && (
        <DeleteBucketDialog bucket={deleting} onClose={() => setDeleting(undefined)} onDeleted={buckets.reload} />
      )}
    </section>
  )
}

/** S3 lists the buckets of an owner. A policy can give access to others, which a person opens by name. */
function OpenBucket() {
  const [name, setName] = useState('')
  return (
    <form
      class="open-bucket"
      onSubmit={(event) => {
        event.preventDefault()
        if (name !== '') navigate(['browse', name])
      }}
    >
      <TextField label="Open another bucket" value={name} onInput={setName} placeholder="its name" />
      <Button type="submit">Open</Button>
    </form>
  )
}

interface BucketTableProps {
  readonly buckets: readonly BucketEntry[]
  readonly onDelete: (bucket: string) => void
}

function BucketTable({ buckets, onDelete }: BucketTableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Created</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ name, created }) => (
          <tr key={name}>
            <td>
              <a href={linkTo(['browse', name])}>{name}</a>
            </td>
            <td data-label="Created">{dateText(created)}</td>
            <td class="actions">
              <Button kind="quiet" label={`Delete ${name}`} onClick={() => onDelete(name)}>
                Delete
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
