import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

export interface Pair {
  readonly name: string
  readonly value: string
}

export interface PairsFieldProps {
  readonly legend: string
  readonly pairs: readonly Pair[]
  readonly onChange: (pairs: readonly Pair[]) => void
  readonly max?: number
  readonly problem?: string | undefined
}

/** Names with values, such as tags. */
export function PairsField({ legend, pairs, onChange, max = 50, problem }: PairsFieldProps) {
  const replace = (place: number, changed: Partial<Pair>): void =>
    onChange(pairs.map((pair, index) => (index === place ? { ...pair, ...changed } : pair)))
  const fields = useRef<HTMLFieldSetElement>(null)
  const isAdding = useRef(false)
  useLayoutEffect(() => {
    if (isAdding.current) fields.current?.querySelector<HTMLElement>('.pair:last-of-type input')?.focus()
    isAdding.current = false
  }, [pairs.length])
  const add = (): void => {
    isAdding.current = true
    onChange([...pairs, { name: '', value: '' }])
  }
  return (
    <fieldset class="pairs" ref={fields}>
      <legend>{legend}</legend>
      {pairs.map(({ name, value }, index) => (
        <div key={index} class="pair">
          <input
            aria-label={`Name ${index + 1}`}
            placeholder="name"
            value={name}
            onInput={(event) => replace(index, { name: event.currentTarget.value })}
          />
          <input
            aria-label={`Value ${index + 1}`}
            placeholder="value"
            value={value}
            onInput={(event) => replace(index, { value: event.currentTarget.value })}
          />
          <Button
            kind="quiet"
            label={`Remove ${name === '' ? `entry ${index + 1}` : name}`}
            onClick={() => onChange(pairs.filter((_, other) => other !== index))}
          >
            ×
          </Button>
        </div>
      ))}
      {pairs.length < max && <Button onClick={add}>Add</Button>}
      {problem !== undefined && <p class="hint problem">{problem}</p>}
    </fieldset>
  )
}
