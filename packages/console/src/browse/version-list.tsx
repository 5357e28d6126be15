import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText, countText, dateText, visible } from '../components/formats.ts'
import { type Pages, usePages } from '../components/use-pages.ts'
import { VirtualTable } from '../components/virtual-table.tsx'
import { linkTo } from '../router/route.ts'
import { listVersions, type VersionEntry } from '../s3/listings.ts'
import { useConnection } from '../session/use-connection.ts'
import { arrivals } from '../uploads/upload-queue.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import type { DeleteChoice } from './delete-objects.ts'
import { useSelection } from './selection.ts'

const nameOf = ({ key, versionId }: VersionEntry): string => `${versionId}:${key}`

/** Every version and delete marker beneath a prefix: what must go before a bucket can be deleted. */
export function VersionList({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) {
  const connection = useConnection()
  const pages = usePages(
    (from: Parameters<typeof listVersions>[1]['from'], signal) =>
      listVersions(connection, { bucket, prefix, from, signal }),
    [connection, bucket, prefix],
  )
  const { rows, isLoading } = pages
  const selection = useSelection({ rows, nameOf, isLoading })
  const [choice, setChoice] = useState<DeleteChoice>()
  useEffect(() => {
    if (arrivals.value > 0) pages.reload()
  }, [arrivals.value])
  const chosen = (): DeleteChoice => ({
    bucket,
    prefixes: [],
    targets: rows.filter((row) => selection.names.has(nameOf(row))),
  })
  return (
    <>
      {selection.names.size > 0 && (
        <div class="cluster toolbar">
          <span class="grow" role="status">
            {selection.names.size.toLocaleString()} selected
          </span>
          <Button kind="quiet" onClick={selection.clear}>
            Clear
          </Button>
          <Button kind="danger" onClick={() => setChoice(chosen())}>
            Delete for good
          </Button>
        </div>
      )}
      {pages.error !== undefined && <ErrorMessage error={pages.error} onRetry={pages.retry} />}
      {rows.length === 0 && isLoading && <p role="status">Loading…</p>}
      {rows.length === 0 && !isLoading && pages.error === undefined && (
        <EmptyState title="No versions here">
          <p>The bucket holds nothing beneath this prefix, so it can be deleted if no other prefix holds anything.</p>
        </EmptyState>
      )}
      {rows.length > 0 && <VersionTable pages={pages} context={{ bucket, prefix, selection }} />}
      {choice !== undefined && (
        <DeleteDialog
          choice={choice}
          onClose={() => setChoice(undefined)}
          onStart={selection.clear}
          onDeleted={pages.reload}
        />
      )}
    </>
  )
}

interface VersionTableProps {
  readonly pages: Pages<VersionEntry>
  readonly context: CellContext
}

function VersionTable({ pages, context }: VersionTableProps) {
  const { rows, isComplete } = pages
  const { selection } = context
  const areAllChosen = selection.names.size === rows.length
  return (
    <>
      <VirtualTable
        label="Versions"
        columns="versions"
        rows={rows}
        keyOf={nameOf}
        isSelected={(row) => selection.names.has(nameOf(row))}
        isComplete={isComplete}
        onNearEnd={pages.loadMore}
        head={[
          <input
            type="checkbox"
            aria-label="Choose all that are loaded"
            checked={areAllChosen}
            onChange={() => (areAllChosen ? selection.clear() : selection.chooseAll(rows.map(nameOf)))}
          />,
          'Name',
          'What',
          'Size',
          'Date',
        ]}
        renderRow={(row) => versionCells(row, context)}
      />
      <p class="small quiet" role="status">
        {countText(rows.length, 'version')}
        {isComplete ? '' : ', and more: they are loaded as you scroll'}
      </p>
    </>
  )
}

interface CellContext {
  readonly bucket: string
  readonly prefix: string
  readonly selection: ReturnType<typeof useSelection>
}

function versionCells(row: VersionEntry, { bucket, prefix, selection }: CellContext) {
  const version = row.kind === 'version' ? row.versionId : undefined
  return [
    <input
      type="checkbox"
      aria-label={`Choose the version ${row.versionId} of ${visible(row.key)}`}
      checked={selection.names.has(nameOf(row))}
      onChange={() => selection.toggle(nameOf(row))}
    />,
    <a
      class="row-link object"
      href={linkTo(['browse', bucket], { show: 'versions', prefix, key: row.key, version })}
      title={visible(row.key)}
    >
      {visible(row.key.slice(prefix.length))}
    </a>,
    whatOf(row),
    row.kind === 'version' ? bytesText(row.size) : '',
    dateText(row.lastModified),
  ]
}

function whatOf({ kind, isLatest }: VersionEntry): string {
  if (kind === 'deleteMarker') return isLatest ? 'Deleted' : 'Delete marker'
  return isLatest ? 'Current' : 'Older version'
}
