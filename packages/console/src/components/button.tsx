import type { ComponentChildren } from 'preact'

export interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: (() => void) | undefined
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly type?: 'button' | 'submit'
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** For a button that shows only a symbol. */
  readonly label?: string
}

const refuse = (event: Event): void => event.preventDefault()

/** A button that is off stays where the keyboard is: a browser takes the focus from a disabled element. */
export function Button({ children, onClick, kind = 'plain', type = 'button', isBusy, disabled, label }: ButtonProps) {
  const isOff = disabled === true || isBusy === true
  return (
    <button
      type={type}
      class={`button ${kind}`}
      onClick={isOff ? refuse : onClick}
      aria-disabled={isOff}
      aria-busy={isBusy === true}
      aria-label={label}
      title={label}
    >
      {children}
    </button>
  )
}
