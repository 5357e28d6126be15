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
  return (
    <fieldset class="pairs">
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
      {pairs.length < max && <Button onClick={() => onChange([...pairs, { name: '', value: '' }])}>Add</Button>}
      {problem !== undefined && <p class="hint problem">{problem}</p>}
    </fieldset>
  )
}
