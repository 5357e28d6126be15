import { useMemo, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { linkTo } from '../router/route.ts'
import { CreateForkDialog } from './create-fork-dialog.tsx'
import { CreateSnapshotDialog } from './create-snapshot-dialog.tsx'
import { PlanDialog } from './plan-dialog.tsx'
import { Timeline } from './timeline.tsx'

export interface TimeBarProps {
  readonly bucket: string
  readonly prefix: string
  /** The moment that the page shows; `undefined` for now. */
  readonly at: string | undefined
  readonly onMove: (at: string | undefined) => void
}

/** The slider above a bucket, and what can be done with the state that it shows. */
export function TimeBar({ bucket, prefix, at, onMove }: TimeBarProps) {
  const [dialog, setDialog] = useState<'restore' | 'fork' | 'snapshot'>()
  const [restores, setRestores] = useState(0)
  const call = useMemo(
    () => ({ operation: 'restore' as const, request: { bucket, to: at, ...(prefix !== '' && { prefix }) } }),
    [bucket, prefix, at],
  )
  const close = (): void => setDialog(undefined)
  return (
    <Timeline key={`${bucket}\n${restores}`} bucket={bucket} prefix={prefix} at={at} onMove={onMove}>
      {at !== undefined && (
        <div class="cluster">
          <Button kind="primary" onClick={() => setDialog('restore')}>
            Restore this state…
          </Button>
          <a class="button plain" href={linkTo(['time', bucket], { show: 'changes', prefix, at })}>
            What changed since
          </a>
          <Button onClick={() => setDialog('fork')}>Fork from here…</Button>
          <Button onClick={() => setDialog('snapshot')}>Keep as a snapshot…</Button>
        </div>
      )}
      {dialog === 'restore' && (
        <PlanDialog
          title={`Make ${prefix === '' ? bucket : `${bucket}/${prefix}`} what it was?`}
          action="Restore"
          doing={`Restoring ${bucket}${prefix === '' ? '' : `/${prefix}`}`}
          call={call}
          onClose={close}
          onDone={() => {
            setRestores((count) => count + 1)
            onMove(undefined)
          }}
        />
      )}
      {dialog === 'fork' && <CreateForkDialog bucket={bucket} at={at} onClose={close} />}
      {dialog === 'snapshot' && <CreateSnapshotDialog at={at} onClose={close} />}
    </Timeline>
  )
}
