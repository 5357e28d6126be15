import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { countText } from '../components/formats.ts'
import type { PlannedCall } from '../control/plans.ts'
import { useLoad } from '../components/use-load.ts'
import { linkTo } from '../router/route.ts'
import { useConnection } from '../session/use-connection.ts'
import { type Action, loadActions } from './actions.ts'
import { instantText } from './instants.ts'
import { PlanDialog } from './plan-dialog.tsx'
import type { Place } from './place.ts'

/** What people and programs did, one row for each request, with an undo for each. */
export function ActionsView({ place: { bucket, prefix } }: { readonly place: Place }) {
  const connection = useConnection()
  const loaded = useLoad((signal) => loadActions(connection, { bucket, prefix }, signal), [connection, bucket, prefix])
  const [undoing, setUndoing] = useState<Undoing>()
  if (loaded.state === 'loading') return <p role="status">Loading…</p>
  if (loaded.state === 'failed') return <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
  const { actions, isWhole } = loaded.value
  if (actions.length === 0) return <EmptyState title="Nothing happened here yet" />
  return (
    <>
      <p class="quiet">
        {isWhole
          ? 'Everything that happened here, the last action first. Each can be undone by itself; what others did stays.'
          : 'The latest actions here, the last one first. Earlier ones are in the log.'}
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
      {undoing !== undefined && (
        <PlanDialog
          title={undoing.title}
          action="Undo"
          doing={undoing.doing}
          call={undoing.call}
          onClose={() => setUndoing(undefined)}
          onDone={loaded.reload}
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
