import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
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
  /** Does the work. If it fails, the dialog stays open with the error and all that was entered. */
  readonly onSubmit: () => Promise<void>
  readonly onClose: () => void
  /** What can be done about an error, such as a link. */
  readonly adviseOn?: (error: unknown) => ComponentChildren
  readonly children: ComponentChildren
}

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
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      await onSubmit()
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose} size={size}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {failure !== undefined && <ErrorMessage error={failure} />}
        {failure !== undefined && adviseOn?.(failure)}
        <div class="cluster end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={kind} isBusy={isBusy} disabled={!isValid}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
