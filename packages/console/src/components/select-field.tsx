import { useId } from 'preact/hooks'

export interface SelectFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly hint?: string
  readonly disabled?: boolean
}

export function SelectField({ label, value, onChange, options, hint, disabled = false }: SelectFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    </div>
  )
}
