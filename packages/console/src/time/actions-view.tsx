import { useMemo, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { countText } from '../components/formats.ts'
import type { PlannedCall } from '../control/plans.ts'
import { usePages } from '../components/use-pages.ts'
import { linkTo } from '../router/route.ts'
import { useConnection } from '../session/use-connection.ts'
import { type Action, actionsOf, type Group, loadGroups, type Walk } from './actions.ts'
import { instantText } from './instants.ts'
import { Older } from './older.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import type { Place } from './place.ts'

/** What people and programs did, one row for each request, with an undo for each. */
export function ActionsView({ place: { bucket, prefix } }: { readonly place: Place }) {
  const connection = useConnection()
  const [found, setFound] = useState(0)
  const pages = usePages<Group, Walk>(
    (from, signal) => loadGroups(connection, { bucket, prefix }, { from, onProgress: setFound }, signal),
    [connection, bucket, prefix],
  )
  const [undoing, setUndoing] = useState<Undoing>()
  const actions = useMemo(() => actionsOf(pages.rows), [pages.rows])
  const older = <Older pages={pages} loading={`Reading the log: ${countText(found, 'event')} so far…`} />
  if (actions.length === 0) return pages.isComplete ? <EmptyState title="Nothing happened here yet" /> : older
  return (
    <>
      <p class="quiet">
        {pages.isComplete
          ? 'Everything that happened here, the last action first. Each can be undone by itself; what others did stays.'
          : 'The latest actions here, the last one first. Each can be undone by itself; what others did stays.'}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">
              <span class="visually-hidden">Undo</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {actions.map((action) => (
            <ActionRow key={action.first} action={action} bucket={bucket} onUndo={setUndoing} />
          ))}
        </tbody>
      </table>
      {older}
      {undoing !== undefined && (
        <PlanDialog
          title={undoing.title}
          action="Undo"
          doing={undoing.doing}
          call={undoing.call}
          onClose={() => setUndoing(undefined)}
          onDone={pages.reload}
        />
      )}
    </>
  )
}

interface Undoing {
  readonly title: string
  readonly doing: string
  readonly call: PlannedCall
}

interface ActionRowProps {
  readonly action: Action
  readonly bucket: string
  readonly onUndo: (undoing: Undoing) => void
}

function ActionRow({ action, bucket, onUndo }: ActionRowProps) {
  const { by, requestId, first, at, text, events } = action
  return (
    <tr>
      <td>
        <a href={linkTo(['browse', bucket], { at: String(first - 1) })} title="Look at the bucket before this">
          {instantText(at)}
        </a>
      </td>
      <td>{by.name}</td>
      <td class="key">
        {text}
        {events > 1 && <span class="quiet small"> ({countText(events, 'event')})</span>}
      </td>
      <td class="actions">
        {requestId !== undefined && (
          <Button
            kind="quiet"
            label={`Undo… ${by.name} ${text}`}
            onClick={() =>
              onUndo({
                title: `Undo what ${by.name} did?`,
                doing: `Undoing what ${by.name} did in ${bucket}`,
                call: { operation: 'undo', request: { requestId, bucket } },
              })
            }
          >
            Undo…
          </Button>
        )}
        <Button
          kind="quiet"
          label={`All by ${by.name} since then…`}
          onClick={() =>
            onUndo({
              title: `Undo everything that ${by.name} did since then?`,
              doing: `Undoing everything that ${by.name} did in ${bucket}`,
              call: { operation: 'undo', request: { by: by.id, bucket, from: first - 1 } },
            })
          }
        >
          All by {by.name}…
        </Button>
      </td>
    </tr>
  )
}
