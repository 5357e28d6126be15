import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText, countText, dateText, visible } from '../components/formats.ts'
import { type Pages, usePages } from '../components/use-pages.ts'
import { VirtualTable } from '../components/virtual-table.tsx'
import { linkTo } from '../router/route.ts'
import { route } from '../router/router.ts'
import { listObjects, type ObjectEntry, type PrefixEntry } from '../s3/listings.ts'
import { useConnection } from '../session/use-connection.ts'
import { Emptied } from '../time/emptied.tsx'
import { hasCode } from '../transport/failures.ts'
import { arrivals } from '../uploads/upload-queue.ts'
import type { DeleteChoice } from './delete-objects.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { DropArea } from './drop-area.tsx'
import { SearchField } from './search-field.tsx'
import { type Selection, useSelection } from './selection.ts'
import { Unlisted } from './unlisted.tsx'
import { UploadButton } from './upload-button.tsx'

export interface ObjectListProps {
  readonly bucket: string
  readonly prefix: string
  readonly at: string | undefined
  /** Called when the bucket does not exist any more. */
  readonly onGone?: () => void
}

type Row = ObjectEntry | PrefixEntry

/** The objects and folders beneath a prefix. */
export function ObjectList({ bucket, prefix, at, onGone }: ObjectListProps) {
  const connection = useConnection()
  const [search, setSearch] = useState('')
  const pages = usePages(
    (from: Parameters<typeof listObjects>[1]['from'], signal) =>
      listObjects(connection, { bucket, prefix: prefix + search, delimiter: '/', from, at, signal }),
    [connection, bucket, prefix, search, at],
  )
  const selection = useSelection({ ...pages, nameOf })
  const [choice, setChoice] = useState<DeleteChoice>()
  const isPast = at !== undefined
  const isUnlisted = hasCode(pages.error, 'AccessDenied')
  useEffect(() => {
    if (arrivals.value > 0) pages.reload()
  }, [arrivals.value])
  useEffect(() => {
    if (!isPast && hasCode(pages.error, 'NoSuchBucket')) onGone?.()
  }, [pages.error])
  return (
    <DropArea target={{ bucket, prefix }} isOff={isPast}>
      <div class="cluster toolbar">
        <SearchField onSearch={setSearch} />
        <span class="grow" />
        {selection.names.size > 0 && (
          <>
            <span role="status">{selection.names.size.toLocaleString()} selected</span>
            <Button kind="quiet" onClick={selection.clear}>
              Clear
            </Button>
            <Button kind="danger" onClick={() => setChoice(choiceOf(bucket, selection))}>
              Delete
            </Button>
          </>
        )}
        {!isPast && <UploadButton target={{ bucket, prefix }} />}
      </div>
      {isPast && hasCode(pages.error, 'NoSuchBucket') && <EmptyState title="The bucket did not exist then" />}
      {isUnlisted && <Unlisted bucket={bucket} />}
      {pages.error !== undefined && !isUnlisted && !(isPast && hasCode(pages.error, 'NoSuchBucket')) && (
        <ErrorMessage error={pages.error} onRetry={pages.retry} />
      )}
      <ObjectTable pages={pages} place={{ bucket, prefix, at }} selection={selection} search={search} />
      {choice !== undefined && (
        <DeleteDialog
          choice={choice}
          onClose={() => setChoice(undefined)}
          onStart={selection.clear}
          onDeleted={pages.reload}
        />
      )}
    </DropArea>
  )
}

function choiceOf(bucket: string, { names }: Selection): DeleteChoice {
  const all = [...names]
  return {
    bucket,
    targets: all.flatMap((name) => (name.startsWith('object:') ? [{ key: name.slice('object:'.length) }] : [])),
    prefixes: all.flatMap((name) => (name.startsWith('prefix:') ? [name.slice('prefix:'.length)] : [])),
  }
}

const nameOf = ({ kind, key }: Row): string => `${kind}:${key}`

interface ObjectTableProps {
  readonly pages: Pages<Row>
  readonly place: ObjectListProps
  readonly selection: Selection
  readonly search: string
}

function ObjectTable({ pages, place, selection, search }: ObjectTableProps) {
  const { rows, isComplete, isLoading } = pages
  const isPast = place.at !== undefined
  if (rows.length === 0)
    return isLoading ? <p role="status">Loading…</p> : <NoObjects pages={pages} search={search} place={place} />
  const areAllChosen = selection.names.size === rows.length
  return (
    <>
      <VirtualTable
        label="Objects"
        columns="objects"
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
            disabled={isPast}
            onChange={() => (areAllChosen ? selection.clear() : selection.chooseAll(rows.map(nameOf)))}
          />,
          'Name',
          'Size',
          'Last change',
        ]}
        renderRow={(row) => [
          <input
            type="checkbox"
            aria-label={`Choose ${visible(row.key)}`}
            checked={selection.names.has(nameOf(row))}
            disabled={isPast}
            onChange={() => selection.toggle(nameOf(row))}
          />,
          <RowLink row={row} place={place} />,
          row.kind === 'object' ? bytesText(row.size) : '',
          row.kind === 'object' ? dateText(row.lastModified) : '',
        ]}
      />
      <p class="small quiet" role="status">
        {countText(rows.length, 'entry', 'entries')}
        {isComplete ? '' : ', and more: they are loaded as you scroll'}
        {isLoading && '…'}
      </p>
    </>
  )
}

function RowLink({ row, place: { bucket, prefix, at } }: { readonly row: Row; readonly place: ObjectListProps }) {
  const name = row.key.slice(prefix.length)
  const link =
    row.kind === 'prefix'
      ? linkTo(['browse', bucket], { prefix: row.key, at })
      : linkTo(['browse', bucket], { prefix, key: row.key, at })
  return (
    <a
      class={`row-link ${row.kind}`}
      href={link}
      title={visible(row.key)}
      aria-current={row.key === route.value.query['key'] ? 'true' : undefined}
    >
      {shownName(name)}
    </a>
  )
}

function shownName(name: string): string {
  if (name === '') return '(the folder itself)'
  return name === '/' ? '(empty name)/' : visible(name)
}

interface NoObjectsProps {
  readonly pages: Pages<Row>
  readonly search: string
  readonly place: ObjectListProps
}

function NoObjects({ pages, search, place: { bucket, prefix, at } }: NoObjectsProps) {
  if (pages.error !== undefined) return null
  if (search !== '') {
    return (
      <EmptyState title="Nothing begins with this">
        <p>The search finds names that begin with what you typed, with the same case.</p>
      </EmptyState>
    )
  }
  return at === undefined ? <Emptied bucket={bucket} prefix={prefix} /> : <EmptyState title="Nothing was here then" />
}
