import { useMemo, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText, countText, visible } from '../components/formats.ts'
import { TextField } from '../components/text-field.tsx'
import { type Pages, usePages } from '../components/use-pages.ts'
import { VirtualTable } from '../components/virtual-table.tsx'
import { linkTo } from '../router/route.ts'
import { navigate } from '../router/router.ts'
import { useConnection } from '../session/use-connection.ts'
import { type Difference, loadDifferences } from './differences.ts'
import { PlanDialog } from './plan-dialog.tsx'
import type { Place } from './place.ts'
import { Timeline } from './timeline.tsx'

export interface ChangesViewProps {
  readonly place: Place
  readonly onMove: (at: string | undefined) => void
}

/** Two moments compared: the one of the slider, and a later or earlier one, which is now unless the person names it. */
export function ChangesView({ place, onMove }: ChangesViewProps) {
  const { bucket, prefix, at, to } = place
  const [until, setUntil] = useState(to ?? '')
  const compare = (): void => navigate(['time', bucket], { show: 'changes', prefix, at, to: until })
  return (
    <>
      <Timeline bucket={bucket} prefix={prefix} at={at} onMove={onMove} />
      <form
        class="cluster bottom"
        onSubmit={(event) => {
          event.preventDefault()
          compare()
        }}
      >
        <TextField
          label="Compared with"
          value={until}
          onInput={setUntil}
          placeholder="now"
          hint="A position, a time such as 2026-08-01T12:00:00Z, or a snapshot"
        />
        <Button type="submit">Compare</Button>
      </form>
      {at === undefined ? (
        <EmptyState title="Choose the earlier moment">
          <p>Drag the mark of the timeline to the moment that you compare with.</p>
        </EmptyState>
      ) : (
        <Differences key={`${at}\n${to ?? ''}\n${prefix}`} place={{ bucket, prefix, at, to }} />
      )}
    </>
  )
}

function Differences({ place }: { readonly place: Place & { readonly at: string } }) {
  const connection = useConnection()
  const { bucket, prefix, at, to } = place
  const [isRestoring, setRestoring] = useState(false)
  const pages = usePages(
    (after: string | undefined, signal) => loadDifferences(connection, { bucket, prefix, from: at, to, after }, signal),
    [connection, bucket, prefix, at, to],
  )
  const call = useMemo(
    () => ({ operation: 'restore' as const, request: { bucket, to: at, ...(prefix !== '' && { prefix }) } }),
    [bucket, prefix, at],
  )
  return (
    <>
      {pages.error !== undefined && <ErrorMessage error={pages.error} onRetry={pages.retry} />}
      <DifferenceTable pages={pages} place={place} />
      {pages.rows.length > 0 && (
        <div class="cluster">
          <Button kind="primary" onClick={() => setRestoring(true)}>
            Go back to the earlier state…
          </Button>
        </div>
      )}
      {isRestoring && (
        <PlanDialog
          title="Go back to the earlier state?"
          action="Restore"
          doing={`Restoring ${bucket}${prefix === '' ? '' : `/${prefix}`}`}
          call={call}
          onClose={() => setRestoring(false)}
          onDone={pages.reload}
        />
      )}
    </>
  )
}

interface DifferenceTableProps {
  readonly pages: Pages<Difference>
  readonly place: Place
}

function DifferenceTable({ pages, place: { bucket, at } }: DifferenceTableProps) {
  const { rows, isComplete, isLoading } = pages
  if (rows.length === 0) {
    if (isLoading) return <p role="status">Comparing…</p>
    return pages.error === undefined ? <EmptyState title="Nothing differs between the two moments" /> : null
  }
  return (
    <>
      <VirtualTable
        label="Differences"
        columns="differences"
        rows={rows}
        keyOf={(row) => `${row.kind}:${row.key ?? row.setting ?? ''}`}
        isComplete={isComplete}
        onNearEnd={pages.loadMore}
        head={['Change', 'Name', 'Before', 'After']}
        renderRow={(row) => [
          <span class={`deed ${row.kind}`}>{row.kind}</span>,
          row.key === undefined ? (
            <span>setting: {row.setting}</span>
          ) : (
            <a href={linkTo(['time', bucket], { show: 'story', key: row.key, at })} title={visible(row.key)}>
              {visible(row.key)}
            </a>
          ),
          row.before === undefined ? '' : bytesText(row.before.size ?? 0),
          row.after === undefined ? '' : bytesText(row.after.size ?? 0),
        ]}
      />
      <p class="small quiet" role="status">
        {countText(rows.length, 'difference')}
        {isComplete ? '' : ', and more: they are loaded as you scroll'}
      </p>
    </>
  )
}
