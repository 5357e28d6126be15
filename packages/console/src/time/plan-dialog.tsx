import { ErrorMessage } from '../components/error-message.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { countText, visible } from '../components/formats.ts'
import { useLoad } from '../components/use-load.ts'
import { useConnection } from '../session/use-connection.ts'
import { changeText } from '../control/effects.ts'
import { type Change, loadPlan, type Plan, type PlannedCall } from '../control/plans.ts'
import { startPlannedWork } from '../work/planned-work.ts'

export interface PlanDialogProps {
  readonly title: string
  readonly action: string
  /** What goes on, such as `Undoing what Ada did`. */
  readonly doing: string
  readonly call: PlannedCall
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Shows what a restore, an undo or a merge would change. When the person agrees, it is work of the server. */
export function PlanDialog({ title, action, doing, call, onClose, onDone }: PlanDialogProps) {
  const connection = useConnection()
  const plan = useLoad((signal) => loadPlan(connection, call, signal), [connection, call])
  const total = plan.state === 'ready' ? plan.value.total : 0
  return (
    <FormDialog
      title={title}
      action={total === 0 ? action : `${action} ${countText(total, 'change')}`}
      size="wide"
      isValid={total > 0}
      onSubmit={async () => {
        if (plan.state === 'ready') startPlannedWork(connection, { title: doing, call: plan.value.call, onEnd: onDone })
      }}
      onClose={onClose}
    >
      {plan.state === 'loading' && <p role="status">Making the plan…</p>}
      {plan.state === 'failed' && <ErrorMessage error={plan.error} onRetry={plan.reload} />}
      {plan.state === 'ready' && <PlanView plan={plan.value} />}
    </FormDialog>
  )
}

function PlanView({ plan }: { readonly plan: Plan }) {
  const { changes, total, conflicts, erased, call } = plan
  return (
    <>
      {total === 0 && <p>Nothing would change: everything is as it was then.</p>}
      {total > 0 && <ChangeList operation={call.operation} changes={changes} />}
      {total > changes.length && <p class="quiet">And {countText(total - changes.length, 'more change')}.</p>}
      {conflicts.length > 0 && (
        <details>
          <summary>{countText(conflicts.length, 'place')} stay as they are, because others changed them since</summary>
          <ul class="plan">
            {conflicts.map(({ bucket, key, by, reason }, index) => (
              <li key={index}>
                {visible(key ?? bucket ?? '')} <span class="quiet">{by === undefined ? reason : `by ${by.name}`}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {erased > 0 && <p>{countText(erased, 'object')} cannot come back: the store has erased the bytes.</p>}
      <p class="quiet small">Nothing is lost: this adds to the log, and you can undo it.</p>
    </>
  )
}

function ChangeList({ operation, changes }: Pick<PlannedCall, 'operation'> & Pick<Plan, 'changes'>) {
  return (
    <ul class="plan" tabIndex={0} aria-label="Changes">
      {changes.map((one, index) => (
        <li key={index}>
          <span class="deed">{changeText(operation, one)}</span>{' '}
          <span class="key">{visible(one.key ?? nameOf(one))}</span>
        </li>
      ))}
    </ul>
  )
}

const nameOf = (one: Change): string => ('bucket' in one ? one.bucket : '')
