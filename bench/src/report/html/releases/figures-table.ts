/** The figures of one workload in all entries: what the charts show, as text. */
import type { Spread } from '../../../basics/statistics.ts'
import type { MachineLines, TimePoint } from '../../../ledger/time-lines.ts'
import type { Workload } from '../../../workloads/workload.ts'
import { spreadText } from '../../format.ts'
import { markedRate } from '../../marked-rate.ts'
import { html, type Markup } from '../../markup.ts'

const otherWork = '‡'

interface Row {
  readonly name: string
  readonly label: string
  readonly point: TimePoint
  /** Whether the work differs from that of the release before. */
  readonly isOtherWork: boolean
}

/** The newest release comes first. */
export function figuresTable(workload: Workload, machines: readonly MachineLines[]): Markup {
  const rows = machines
    .flatMap(({ label, lines }) => lines.flatMap(({ name, parts }) => rowsOf(label, name, parts)))
    .toSorted((a, b) => b.point.release - a.point.release)
  const floor = workload.floors[0]
  const ofFloor = floor === undefined ? [] : [`÷ ${floor}`]
  const heads = [
    'Release',
    'Machine',
    'Contender',
    'Processor time, µs',
    ...ofFloor,
    'Rate',
    ...ofFloor,
    'Generator',
    'Server',
  ]
  const note = rows.some(({ isOtherWork }) => isOtherWork)
    ? html`<p class="faint">${otherWork} The work differs from that of the release before, so no line connects the two.</p>`
    : undefined
  return html`<div class="scroll" tabindex="0"><table class="figures"><caption>${workload.title} over releases</caption><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => rowOf(row, floor))}</tbody></table></div>${note}`
}

const rowsOf = (label: string, name: string, parts: readonly (readonly TimePoint[])[]): Row[] =>
  parts.flatMap((part, i) => part.map((point, j) => ({ name, label, point, isOtherWork: i > 0 && j === 0 })))

function rowOf({ name, label, point, isOtherWork }: Row, floor: string | undefined): Markup {
  const { figures, ofFloor, entry, workload } = point
  const optional = (spread: Spread | undefined, mark: string) => (spread === undefined ? '' : spreadText(spread, mark))
  // An older release may have had another floor first.
  const ratio = workload.floors[0] === floor ? ofFloor : undefined
  const ofFloorCell = (spread: Spread | undefined) => (floor === undefined ? [] : [optional(spread, ' ×')])
  const cells = [
    label,
    name,
    spreadText(figures.cpuMicros),
    ...ofFloorCell(ratio?.cpuMicros),
    markedRate(workload.unit, figures),
    ...ofFloorCell(ratio?.rate),
    optional(figures.generatorCpu, ' CPU'),
    optional(figures.serverCpu, ' CPU'),
  ]
  const release = `${entry.varve}${isOtherWork ? ` ${otherWork}` : ''}`
  return html`<tr><th scope="row">${release}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
}
