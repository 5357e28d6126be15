import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly size?: 'narrow' | 'wide'
  /** Escape calls `onClose`, which may keep the dialog. @default false */
  readonly staysOpen?: boolean
}

/** A window above the page. The browser keeps the focus inside, closes it with Escape and returns the focus after it. */
export function Dialog({ title, onClose, children, size = 'narrow', staysOpen = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => opener instanceof HTMLElement && opener.focus()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${size}`}
      aria-labelledby={id}
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
