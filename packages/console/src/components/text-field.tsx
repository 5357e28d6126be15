import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local'
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly min?: number
  readonly max?: number
  /** What is wrong with the value. */
  readonly problem?: string | undefined
  readonly hint?: ComponentChildren
}

export function TextField({ label, value, onInput, problem, hint, type = 'text', ...more }: TextFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...more}
        id={id}
        // The types of Preact want one literal; all of these take the same attributes.
        type={type as 'text'}
        value={value}
        spellcheck={false}
        autocapitalize="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'hint problem'}>
        {problem ?? hint}
      </p>
    </div>
  )
}
