import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorMessage } from './error-message.tsx'

export interface FormDialogProps {
  readonly title: string
  readonly action: string
  readonly kind?: 'primary' | 'danger'
  readonly size?: 'narrow' | 'wide'
  /** False while the form is incomplete or has a problem. */
  readonly isValid?: boolean
  /**
   * Does the work. If it fails, the dialog stays open with the error and all that was entered. Work that can take long begins as work of its own,
   * see `startWork`. The signal aborts when the person cancels meanwhile.
   */
  readonly onSubmit: (signal: AbortSignal) => Promise<void>
  readonly onClose: () => void
  /** What can be done about an error, such as a link. */
  readonly adviseOn?: (error: unknown) => ComponentChildren
  readonly children: ComponentChildren
}

const cancelledText =
  'Cancelled before the server answered. It may have been done all the same: look before you try again.'

/** A dialog that asks for something, does it, and closes. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    action,
    kind = 'primary',
    size = 'narrow',
    isValid = true,
    onSubmit,
    onClose,
    adviseOn,
    children,
  } = props
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const running = useRef<AbortController | undefined>(undefined)
  const settle = (error: unknown): void => {
    running.current = undefined
    setFailure(error)
    setBusy(false)
  }
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const controller = new AbortController()
    running.current = controller
    setBusy(true)
    setFailure(undefined)
    try {
      await onSubmit(controller.signal)
      onClose()
    } catch (error) {
      if (running.current === controller) settle(error)
    }
  }
  // A dialog that closed while its request goes on would hide what the request does.
  const leave = (): void => {
    if (running.current === undefined) return onClose()
    running.current.abort()
    settle(new Error(cancelledText))
  }
  return (
    <Dialog title={title} onClose={leave} size={size} staysOpen={isBusy}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {failure !== undefined && <ErrorMessage error={failure} />}
        {failure !== undefined && adviseOn?.(failure)}
        <div class="cluster end">
          <Button onClick={leave}>Cancel</Button>
          <Button type="submit" kind={kind} isBusy={isBusy} disabled={!isValid}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
