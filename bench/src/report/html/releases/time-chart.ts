/** A small chart of one figure over the releases: a line for each contender of one workload on one machine. */
import type { Spread } from '../../../basics/statistics.ts'
import type { MachineLines, TimePoint } from '../../../ledger/time-lines.ts'
import { boundMark } from '../../marked-rate.ts'
import { html, type Markup } from '../../markup.ts'
import { logScale } from './log-scale.ts'
import type { StyleOf } from './series-style.ts'

export interface ChartedFigure {
  readonly title: string
  spread(point: TimePoint): Spread
  isBound(point: TimePoint): boolean
  /** Short text, for the scale. */
  text(value: number): string
}

export interface ChartFrame {
  readonly releases: readonly string[]
  readonly styleOf: StyleOf
}

const [width, height] = [340, 170]
const plot = { left: 46, right: 334, top: 8, bottom: 146 }
/** So many names of releases fit beneath a chart. */
const namesMax = 5

export function timeChart({ lines }: MachineLines, figure: ChartedFigure, { releases, styleOf }: ChartFrame): Markup {
  const points = lines.flatMap(({ parts }) => parts.flat())
  const scale = logScale(points.map(figure.spread).flatMap(({ median, min, max }) => [median, min, max]))
  const step = (plot.right - plot.left) / releases.length
  const placeX = (release: number) => round(plot.left + (release + 0.5) * step)
  const placeY = (value: number) => round(plot.bottom - scale.share(value) * (plot.bottom - plot.top))
  // Side by side, so that contenders do not cover each other.
  const apart = Math.min(6, (0.6 * step) / lines.length)
  const drawn = lines.map((line, i) => {
    const { className, marker } = styleOf(line)
    const shift = (i - (lines.length - 1) / 2) * apart
    const at = (point: TimePoint) => [placeX(point.release) + shift, placeY(figure.spread(point).median)] as const
    const paths = line.parts.map((part) => html`<path class="line" d="${pathOf(part.map(at))}"/>`)
    const marks = line.parts.flat().map((point) => {
      const [x, y] = [round(at(point)[0]), at(point)[1]]
      const { min, max } = figure.spread(point)
      const isBound = figure.isBound(point)
      const bound = isBound ? html`<text class="bound" x="${x + 6}" y="${y - 4}">${boundMark}</text>` : undefined
      return html`<path class="spread" d="M${x} ${placeY(min)}V${placeY(max)}"/>${marker(x, y, isBound)}${bound}`
    })
    return html`<g class="${className}">${paths}${marks}</g>`
  })
  const ticks = scale.ticks.map(
    (tick) =>
      html`<path class="grid" d="M${plot.left} ${placeY(tick)}H${plot.right}"/><text x="${plot.left - 5}" y="${placeY(tick) + 4}" text-anchor="end">${figure.text(tick)}</text>`,
  )
  const names = releases.map((name, i) =>
    isNamed(i, releases.length)
      ? html`<text x="${placeX(i)}" y="${height - 8}" text-anchor="middle">${name}</text>`
      : html``,
  )
  return html`<figure><figcaption>${figure.title}</figcaption><svg class="time" viewBox="0 0 ${width} ${height}" role="img" aria-label="${alternative(lines, figure)}">${ticks}<path class="axis" d="M${plot.left} ${plot.top}V${plot.bottom}H${plot.right}"/>${names}${drawn}</svg></figure>`
}

const round = (value: number): number => Math.round(value * 10) / 10

const pathOf = (places: readonly (readonly [x: number, y: number])[]): string =>
  places.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${round(x)} ${y}`).join('')

/** The newest release always has its name, and as many before it as fit. */
const isNamed = (place: number, count: number): boolean => (count - 1 - place) % Math.ceil(count / namesMax) === 0

/** What the chart shows, in words: the first and the newest figure of each line. */
function alternative(lines: MachineLines['lines'], figure: ChartedFigure): string {
  const texts = lines.map(({ name, parts }) => {
    const all = parts.flat()
    const shown = [...new Set([all[0], all.at(-1)])].flatMap((point) =>
      point === undefined ? [] : [`${figure.text(figure.spread(point).median)} in ${point.entry.varve}`],
    )
    return `${name} ${shown.join(', ')}`
  })
  return `${figure.title}: ${texts.join('; ')}. The table below has all figures.`
}
