/** One workload: rates, latencies, and every figure in a table. */
import type { ContenderResult, WorkloadResult } from '../../results/results.ts'
import type { Spread } from '../../basics/statistics.ts'
import { mebibytes, short, spreadText } from '../format.ts'
import { boundNoteFor, markedRate } from '../marked-rate.ts'
import { winnersOf } from '../winners.ts'
import { latencyChart, rateChart } from './chart.ts'
import { html, type Markup } from '../markup.ts'

export function section(result: WorkloadResult): Markup {
  const { workload, contenders, leftOut = [] } = result
  const winners = winnersOf(result)
  const best = winners === undefined ? [] : [winners.best, ...winners.ties]
  const others = contenders.filter(({ kind }) => kind !== 'layout')
  const legend = [
    ...others.map(({ name, about }) => html`<li><b>${name}</b>: ${about}</li>`),
    ...boundNoteFor(contenders).map((note) => html`<li>${note}</li>`),
    ...leftOut.map(({ name, reason }) => html`<li><b>${name}</b> is left out: ${reason}</li>`),
  ]
  return html`<section id="${workload.name}"><h3>${workload.title} <code>${workload.name}</code></h3>
${rateChart(result, best)}
<p class="faint">Latency from p50 to p99; each step to the right is many times longer.</p>
${latencyChart(result)}
<details><summary>All figures</summary><div class="scroll" tabindex="0"><table><thead><tr>${heads(others).map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${contenders.map((one) => rowOf(one, result, others))}</tbody></table></div></details>
${legend.length === 0 ? undefined : html`<ul class="faint">${legend}</ul>`}</section>`
}

const heads = (others: readonly ContenderResult[]): string[] => {
  const after = ['p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'CPU µs each', 'written', 'on disk', 'memory']
  return ['', 'rate', ...others.map(({ name }) => `of ${name}`), ...after, 'generator', 'server']
}

function rowOf(one: ContenderResult, { workload }: WorkloadResult, others: readonly ContenderResult[]): Markup {
  const { figures, ratios, name, spaceAmplification } = one
  const { p50, p95, p99, max, cpuMicros, writeAmplification, generatorCpu, serverCpu } = figures
  const optional = (spread: Spread | undefined, mark: string) => (spread === undefined ? '' : spreadText(spread, mark))
  const cells = [
    markedRate(workload.unit, figures),
    ...others.map((other) => optional(ratios[other.name], '')),
    ...[p50, p95, p99, max, cpuMicros].map((spread) => spreadText(spread)),
    optional(writeAmplification, ' ×'),
    spaceAmplification === undefined ? '' : `${short(spaceAmplification)} ×`,
    mebibytes(figures.peakMemory.median),
    optional(generatorCpu, ' CPU'),
    optional(serverCpu, ' CPU'),
  ]
  return html`<tr><td>${name}</td>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
}
