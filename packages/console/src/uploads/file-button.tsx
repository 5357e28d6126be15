import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../components/button.tsx'

export interface FileButtonProps {
  /** Names the field for a screen reader. */
  readonly label: string
  /** Names the button, if its text is not enough. */
  readonly buttonLabel?: string
  readonly onChoose: (file: File) => void
  readonly children: ComponentChildren
}

/** A button that asks for one file. */
export function FileButton({ label, buttonLabel, onChoose, children }: FileButtonProps) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={label}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file !== undefined) onChoose(file)
        }}
      />
      <Button onClick={() => field.current?.click()} {...(buttonLabel !== undefined && { label: buttonLabel })}>
        {children}
      </Button>
    </>
  )
}
