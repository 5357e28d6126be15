import { useMemo, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { useLoad } from '../components/use-load.ts'
import { linkTo } from '../router/route.ts'
import { useConnection } from '../session/use-connection.ts'
import { CreateForkDialog } from './create-fork-dialog.tsx'
import { CreateSnapshotDialog } from './create-snapshot-dialog.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import {
  type BucketFacts,
  deleteSnapshot,
  dropFork,
  listBucketFacts,
  listSnapshots,
  type Snapshot,
} from './snapshots.ts'
import type { Place } from './place.ts'

/** The snapshots of the store and the forks of the bucket. */
export function SnapshotsView({ place: { bucket } }: { readonly place: Place }) {
  return (
    <>
      <Snapshots bucket={bucket} />
      <Forks bucket={bucket} />
    </>
  )
}

function Snapshots({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => listSnapshots(connection, signal), [connection])
  const [isCreating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<string>()
  return (
    <section class="stack" aria-labelledby="snapshots-title">
      <header class="cluster">
        <h2 id="snapshots-title" class="grow">
          Snapshots
        </h2>
        <Button onClick={() => setCreating(true)}>Create a snapshot</Button>
      </header>
      {loaded.state === 'loading' && <p role="status">Loading…</p>}
      {loaded.state === 'failed' && <ErrorMessage error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'ready' && loaded.value.length === 0 && (
        <EmptyState title="No snapshots">
          <p>A snapshot names a moment, and keeps all bytes of that state until you delete it.</p>
        </EmptyState>
      )}
      {loaded.state === 'ready' && loaded.value.length > 0 && (
        <SnapshotTable snapshots={loaded.value} bucket={bucket} onDelete={setDeleting} />
      )}
      {isCreating && <CreateSnapshotDialog at={undefined} onClose={() => setCreating(false)} onDone={loaded.reload} />}
      {deleting !== undefined && (
        <FormDialog
          title={`Delete the snapshot ${deleting}?`}
          action="Delete"
          kind="danger"
          onSubmit={async () => {
            await deleteSnapshot(connection, deleting)
            loaded.reload()
          }}
          onClose={() => setDeleting(undefined)}
        >
          <p>The log stays. Bytes that only this snapshot kept are erased when the retention of the store allows it.</p>
        </FormDialog>
      )}
    </section>
  )
}

interface SnapshotTableProps {
  readonly snapshots: readonly Snapshot[]
  readonly bucket: string
  readonly onDelete: (name: string) => void
}

function SnapshotTable({ snapshots, bucket, onDelete }: SnapshotTableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Position</th>
          <th scope="col">Created</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {snapshots.map(({ name, seq, createdAt, createdBy }) => (
          <tr key={name}>
            <td>
              <a href={linkTo(['browse', bucket], { at: name })}>{name}</a>
            </td>
            <td data-label="Position">{seq.toLocaleString()}</td>
            <td data-label="Created">
              {new Date(createdAt).toLocaleString()} by {createdBy.name}
            </td>
            <td class="actions">
              <Button kind="quiet" label={`Delete the snapshot ${name}`} onClick={() => onDelete(name)}>
                Delete
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Forks({ bucket }: { readonly bucket: string }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => listBucketFacts(connection, signal), [connection])
  const [dialog, setDialog] = useState<{ readonly kind: 'create' | 'drop' | 'merge'; readonly fork: string }>()
  const close = (): void => setDialog(undefined)
  const merge = useMemo(() => ({ operation: 'merge' as const, request: { fork: dialog?.fork } }), [dialog?.fork])
  const related = loaded.state === 'ready' ? loaded.value.filter((one) => isRelated(one, bucket)) : []
  return (
    <section class="stack" aria-labelledby="forks-title">
      <header class="cluster">
        <h2 id="forks-title" class="grow">
          Forks
        </h2>
        <Button onClick={() => setDialog({ kind: 'create', fork: bucket })}>Fork {bucket}</Button>
      </header>
      {loaded.state === 'failed' && <ErrorMessage error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'ready' && related.length === 0 && (
        <EmptyState title="No forks">
          <p>A fork is a copy of the bucket to try something in. It copies no bytes, and its changes can be merged.</p>
        </EmptyState>
      )}
      {related.map(({ name, base }) => (
        <p key={name} class="cluster">
          <a href={linkTo(['browse', name])}>{name}</a>
          <span class="quiet grow">
            began as {base?.bucket} at position {base?.seq.toLocaleString()}
          </span>
          <Button label={`Merge ${name}`} onClick={() => setDialog({ kind: 'merge', fork: name })}>
            Merge…
          </Button>
          <Button kind="danger" label={`Drop ${name}`} onClick={() => setDialog({ kind: 'drop', fork: name })}>
            Drop
          </Button>
        </p>
      ))}
      {dialog?.kind === 'create' && <CreateForkDialog bucket={bucket} at={undefined} onClose={close} />}
      {dialog?.kind === 'merge' && (
        <PlanDialog
          title={`Merge ${dialog.fork} into its base?`}
          action="Merge"
          doing={`Merging ${dialog.fork}`}
          call={merge}
          onClose={close}
          onDone={loaded.reload}
        />
      )}
      {dialog?.kind === 'drop' && (
        <FormDialog
          title={`Drop the fork ${dialog.fork}?`}
          action="Drop"
          kind="danger"
          onSubmit={async () => {
            await dropFork(connection, dialog.fork)
            loaded.reload()
          }}
          onClose={close}
        >
          <p>What was written to the fork and not merged is removed with it.</p>
        </FormDialog>
      )}
    </section>
  )
}

const isRelated = ({ name, base }: BucketFacts, bucket: string): boolean =>
  base !== undefined && (base.bucket === bucket || name === bucket)
