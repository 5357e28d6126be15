/** The figures of all entries of a ledger, as charts and tables: processor time first, since rates depend more on the machine. */
import type { LedgerEntry } from '../../../ledger/ledger-entry.ts'
import { type MachineLines, timeLines, type WorkloadLines } from '../../../ledger/time-lines.ts'
import { isBoundByGenerator } from '../../../results/generator-bound.ts'
import { bytesText, compactRate, microsText, unitText } from '../../format.ts'
import { boundNote } from '../../marked-rate.ts'
import { html, type Markup } from '../../markup.ts'
import { figuresTable } from './figures-table.ts'
import { seriesStyles, swatch } from './series-style.ts'
import { type ChartedFigure, type ChartFrame, timeChart } from './time-chart.ts'

export function releasesSection(entries: readonly LedgerEntry[]): Markup {
  const { releases, workloads } = timeLines(entries)
  const frame = { releases, styleOf: seriesStyles(entries) }
  return html`<section id="releases"><h2>Over releases</h2>
<p class="faint">A line connects figures of the same machine and the same work only. The scales are logarithmic: the same distance is the same ratio. Vertical strokes are from the least to the most of the rounds. Solid lines are layouts, dashed lines are floors and rivals.</p>
${entriesTable(entries)}
${workloads.map((one) => workloadCharts(one, frame))}</section>`
}

function entriesTable(entries: readonly LedgerEntry[]): Markup {
  const rows = entries.toReversed().map((entry) => {
    const { varve, date, label, machine, node, commit = '', options, note = '' } = entry
    const disk = machine.fileSystem === undefined ? '' : `, ${machine.fileSystem}`
    const cells = [
      date.slice(0, 10),
      label,
      `${machine.processors} × ${machine.model}, ${bytesText(machine.memory)}${disk}`,
      node,
      commit.slice(0, 10),
      `${options.rounds} rounds, scale ${options.scale}`,
      note,
    ]
    return html`<tr><th scope="row">${varve}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
  })
  const heads = ['Release', 'Date', 'Label', 'Machine', 'Node', 'Commit', 'Run', 'Note']
  return html`<div class="scroll" tabindex="0"><table class="entries"><caption>Entries of the ledger</caption><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function workloadCharts({ workload, machines }: WorkloadLines, frame: ChartFrame): Markup {
  const { name, title, unit } = workload
  const rows = machines.map((one) => machineCharts(one, chartedFigures(unit, one.label), frame))
  const points = machines.flatMap(({ lines }) => lines.flatMap(({ parts }) => parts.flat()))
  const note = points.some(({ figures }) => isBoundByGenerator(figures))
    ? html`<p class="faint">${boundNote}</p>`
    : undefined
  return html`<section id="releases-${name}"><h3>${title} <code>${name}</code></h3>
${rows}
${note}
<details><summary>Figures of ${title}</summary>${figuresTable(workload, machines)}</details></section>`
}

const chartedFigures = (unit: WorkloadLines['workload']['unit'], label: string): readonly ChartedFigure[] => [
  {
    title: `Processor time on ${label}, µs an operation`,
    spread: ({ figures }) => figures.cpuMicros,
    isBound: () => false,
    text: (value) => compactRate('operations', value),
  },
  {
    title: `Rate on ${label}, ${unit === 'operations' ? 'operations/s' : unitText(unit)}`,
    spread: ({ figures }) => figures.rate,
    isBound: ({ figures }) => isBoundByGenerator(figures),
    text: (value) => compactRate(unit, value),
  },
]

function machineCharts(machine: MachineLines, figures: readonly ChartedFigure[], frame: ChartFrame): Markup {
  const items = machine.lines.map((line) => {
    const newest = line.parts.at(-1)?.at(-1)
    const cpu = newest === undefined ? '' : microsText(newest.figures.cpuMicros.median)
    return html`<li>${swatch(frame.styleOf(line))}<span>${line.name}</span><span class="faint">${cpu}</span></li>`
  })
  return html`<div class="releases">${figures.map((figure) => timeChart(machine, figure, frame))}<div class="series-list"><p>Newest processor time</p><ul>${items}</ul></div></div>`
}
