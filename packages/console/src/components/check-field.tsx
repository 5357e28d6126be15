import type { ComponentChildren } from 'preact'

export interface CheckFieldProps {
  readonly label: ComponentChildren
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly disabled?: boolean
}

export function CheckField({ label, isChecked, onChange, disabled = false }: CheckFieldProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}
