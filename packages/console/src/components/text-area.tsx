import { useId } from 'preact/hooks'

export interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly problem?: string | undefined
}

export function TextArea({ label, value, onInput, problem }: TextAreaProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        value={value}
        rows={16}
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class="hint problem">
        {problem}
      </p>
    </div>
  )
}
