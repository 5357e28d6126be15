import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { useLoad } from '../components/use-load.ts'
import { linkTo } from '../router/route.ts'
import { type BucketEntry, listBuckets } from '../s3/buckets.ts'
import { useConnection } from '../session/use-connection.ts'
import { CreateBucketDialog } from './create-bucket-dialog.tsx'
import { DeleteBucketDialog } from './delete-bucket-dialog.tsx'

export function BucketList() {
  const connection = useConnection()
  const buckets = useLoad((signal) => listBuckets(connection, signal), [connection])
  const [isCreating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<string>()
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create a bucket
    </Button>
  )
  return (
    <section class="page">
      <header class="cluster">
        <h1 class="grow">Buckets</h1>
        {buckets.state !== 'ready' || buckets.value.length > 0 ? create : undefined}
      </header>
      {buckets.state === 'loading' && <p role="status">Loading…</p>}
      {buckets.state === 'failed' && <ErrorMessage error={buckets.error} onRetry={buckets.reload} />}
      {buckets.state === 'ready' && buckets.value.length === 0 && (
        <EmptyState title="No buckets yet">
          <p>A bucket holds objects. Create the first one here, or with any S3 client.</p>
          {create}
        </EmptyState>
      )}
      {buckets.state === 'ready' && buckets.value.length > 0 && (
        <BucketTable buckets={buckets.value} onDelete={setDeleting} />
      )}
      {isCreating && <CreateBucketDialog onClose={() => setCreating(false)} />}
      {deleting !== undefined && (
        <DeleteBucketDialog bucket={deleting} onClose={() => setDeleting(undefined)} onDeleted={buckets.reload} />
      )}
    </section>
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
            <td>{created.toLocaleString()}</td>
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
