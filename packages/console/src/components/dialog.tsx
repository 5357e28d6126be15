import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly size?: 'narrow' | 'wide'
  /** Escape calls `onClose`, which may keep the dialog. @default false */
  readonly staysOpen?: boolean
}

/** What is filled in, then what adds a field, then the button that changes nothing: it is the first one at the end. */
const firstControls = [
  'input:not([hidden], [type="file"]), select, textarea:not([readonly])',
  'fieldset button',
  '.cluster.end button',
] as const

/**
 * A window above the page. The first field has the focus, or the button that changes nothing, so that no key that is typed is
 * lost and Enter does no harm. Escape closes it, and the focus returns to what opened it.
 */
export function Dialog({ title, onClose, children, size = 'narrow', staysOpen = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    const found = firstControls.map((controls) => current?.querySelector<HTMLElement>(controls))
    found.find((control) => control !== null && control !== undefined)?.focus()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${size}`}
      aria-labelledby={id}
      data-returns-focus
      onClose={onClose}
      onCancel={(event) => {
        if (!staysOpen) return
        event.preventDefault()
        onClose()
      }}
    >
      <header class="cluster">
        <h2 id={id} class="grow">
          {title}
        </h2>
        <Button kind="quiet" label="Close" onClick={onClose}>
          ×
        </Button>
      </header>
      {children}
    </dialog>
  )
}
