import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { dateText } from '../components/formats.ts'
import { type Loaded, useLoad } from '../components/use-load.ts'
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
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create a bucket
    </Button>
  )
  return (
    <section class="page">
      <header class="cluster">
        <h1 class="grow">Buckets</h1>
        {mayCreate(buckets) && create}
      </header>
      <Buckets buckets={buckets} create={create} onDelete={setDeleting} />
      {isCreating && <CreateBucketDialog onClose={() => setCreating(false)} />}
      {deleting !== undefined && (
        <DeleteBucketDialog bucket={deleting} onClose={() => setDeleting(undefined)} onDeleted={buckets.reload} />
      )}
    </section>
  )
}

type LoadedBuckets = Loaded<readonly BucketEntry[]>

const isUnlisted = (buckets: LoadedBuckets): boolean =>
  buckets.state === 'failed' && hasCode(buckets.error, 'AccessDenied')

const isEmpty = (buckets: LoadedBuckets): boolean => buckets.state === 'ready' && buckets.value.length === 0

/** Root has the button in the middle of an empty list. */
const mayCreate = (buckets: LoadedBuckets): boolean => !isUnlisted(buckets) && !(isEmpty(buckets) && isRoot.value)

interface BucketsProps {
  readonly buckets: LoadedBuckets
  readonly create: ComponentChildren
  readonly onDelete: (bucket: string) => void
}

function Buckets({ buckets, create, onDelete }: BucketsProps) {
  if (buckets.state === 'loading') return <p role="status">Loading…</p>
  if (isUnlisted(buckets)) {
    return (
      <EmptyState title="Your key does not have the permission to list buckets.">
        <p>If it may use a bucket, open that by its name.</p>
        <OpenBucket />
      </EmptyState>
    )
  }
  if (isEmpty(buckets) && !isRoot.value) {
    return (
      <EmptyState title="Your key owns no buckets">
        <p>S3 lists only the buckets of the key. If it may use a bucket of another owner, open that by its name.</p>
        <OpenBucket />
      </EmptyState>
    )
  }
  return (
    <>
      {buckets.state === 'failed' && <ErrorMessage error={buckets.error} onRetry={buckets.reload} />}
      {isEmpty(buckets) && (
        <EmptyState title="No buckets yet">
          <p>A bucket holds objects. Create the first one here, or with any S3 client.</p>
          {create}
        </EmptyState>
      )}
      {buckets.state === 'ready' && buckets.value.length > 0 && (
        <BucketTable buckets={buckets.value} onDelete={onDelete} />
      )}
      <OpenBucket />
    </>
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
