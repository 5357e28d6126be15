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

export function Button({ children, onClick, kind = 'plain', type = 'button', isBusy, disabled, label }: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      onClick={onClick}
      disabled={disabled === true || isBusy === true}
      aria-busy={isBusy === true}
      aria-label={label}
      title={label}
    >
      {children}
    </button>
  )
}
