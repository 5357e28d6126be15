import { signal } from '@preact/signals'
import { Button } from './button.tsx'

/** A short message about something that was done, at the edge of the page. */
export interface Toast {
  readonly text: string
  /** What the person can do now, such as undo it. */
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly kind?: 'done' | 'failed'
  /** It stays until it is dismissed. */
  readonly stays?: boolean
}

const toasts = signal<readonly (Toast & { readonly id: number })[]>([])
let lastId = 0

/** A toast without an action goes away by itself. One with an action or a failure stays until it is dismissed. */
const shownMs = 6000

export function showToast(toast: Toast): void {
  const id = ++lastId
  toasts.value = [...toasts.value.slice(-4), { ...toast, id }]
  if (toast.action === undefined && toast.kind !== 'failed' && toast.stays !== true)
    setTimeout(() => dismiss(id), shownMs)
}

/** For the end of a session: the actions of toasts act for the person who saw them. */
export function dismissAll(): void {
  toasts.value = []
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, action, kind = 'done' }) => (
        <div key={id} class={`toast ${kind}`} data-returns-focus>
          <span>{text}</span>
          {action !== undefined && (
            <Button
              kind="quiet"
              onClick={() => {
                dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <Button kind="quiet" label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  )
}
