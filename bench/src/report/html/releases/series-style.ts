/** The colour and the shape of each contender, the same in all charts of a page. */
import type { LedgerEntry } from '../../../ledger/ledger-entry.ts'
import type { TimeLine } from '../../../ledger/time-lines.ts'
import { html, type Markup } from '../../markup.ts'

/** How many colours and shapes there are; a page with more contenders of one kind uses them again. */
const stylesMax = 6

type Named = Pick<TimeLine, 'kind' | 'name'>

export interface SeriesStyle {
  readonly className: string
  marker(x: number, y: number, hollow?: boolean): Markup
}

export type StyleOf = (one: Named) => SeriesStyle

/** The newest entry comes first, so that a chart without older contenders begins with the first colour. */
export function seriesStyles(entries: readonly LedgerEntry[]): StyleOf {
  const named = entries.toReversed().flatMap(({ workloads }) => workloads.flatMap(({ contenders }) => contenders))
  const places = new Map<string, number>()
  const counts = new Map<string, number>()
  for (const one of named) {
    if (places.has(keyOf(one))) continue
    const count = counts.get(one.kind) ?? 0
    counts.set(one.kind, count + 1)
    places.set(keyOf(one), count % stylesMax)
  }
  return (one) => {
    const place = places.get(keyOf(one)) ?? 0
    const className = one.kind === 'layout' ? `series series-${place}` : `series series-${one.kind} dash-${place}`
    return {
      className,
      marker: (x, y, hollow = false) =>
        html`<path class="mark${hollow ? ' hollow' : ''}" d="${shapes[place]?.(x, y) ?? ''}"/>`,
    }
  }
}

const keyOf = ({ kind, name }: Named): string => `${kind} ${name}`

const r = 4
const shapes: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (x, y) => `M${x - r + 0.5} ${y - r + 0.5}h7v7h-7z`,
  (x, y) => `M${x} ${y - r - 1}l5 9h-10z`,
  (x, y) => `M${x} ${y - r - 1}l5 5l-5 5l-5 -5z`,
  (x, y) => `M${x} ${y + r + 1}l5 -9h-10z`,
  (x, y) => `M${x - 5} ${y - 2}h10v4h-10z`,
]

/** A piece of the line with its mark, for a legend. */
export const swatch = ({ className, marker }: SeriesStyle): Markup =>
  html`<svg class="swatch" viewBox="0 0 30 14" aria-hidden="true"><g class="${className}"><path class="line" d="M1 7h28"/>${marker(15, 7)}</g></svg>`
