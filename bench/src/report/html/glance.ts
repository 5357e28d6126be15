/** All workloads on one screen. Each row names the best contender of a workload, and the distance of the others. */
import type { BenchResults, WorkloadResult } from '../../results/results.ts'
import { compactRate, unitText } from '../format.ts'
import { competes, layoutsOf, winnersOf } from '../winners.ts'
import { html, type Markup } from '../markup.ts'

export function glance({ workloads }: BenchResults): Markup {
  const names = [...new Set(workloads.flatMap((result) => layoutsOf(result).map(({ name }) => name)))]
  const rows = workloads.map((result) => rowOf(result, names))
  return html`<div class="scroll" tabindex="0"><table class="glance"><thead><tr><th>workload</th>${names.map((name) => html`<th><span>${name}</span></th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
<p class="faint">● the fastest that is durable; ○ not told from it by the spread of the rounds. The deeper the blue, the nearer to the fastest; its share of that is below each rate. The name of a workload leads to its charts.</p>
${tally(workloads, names)}`
}

function rowOf(result: WorkloadResult, names: readonly string[]): Markup {
  const winners = winnersOf(result)
  const layouts = layoutsOf(result)
  const top = Math.max(...layouts.filter(({ name }) => competes(name)).map(({ figures }) => figures.rate.median))
  const cells = names.map((name) => {
    const found = layouts.find((layout) => layout.name === name)
    if (found === undefined) return html`<td class="faint">–</td>`
    const mark = winners?.best === name ? 'best' : winners?.ties.includes(name) ? 'tie' : ''
    const { median } = found.figures.rate
    const share = Number.isFinite(top) ? `${Math.round((100 * median) / top)} %` : ''
    const near = competes(name) && Number.isFinite(top) ? Math.min(100, Math.round((100 * median) / top)) : 0
    const rate = html`<span class="rate">${compactRate(result.workload.unit, median)}</span>`
    return html`<td class="${mark}" style="--share: ${near}%">${rate}<span class="share">${share}</span></td>`
  })
  const { name, title, unit } = result.workload
  return html`<tr><td><a href="#${name}">${title}</a> <span class="faint">${unitText(unit)}</span></td>${cells}</tr>`
}

function tally(workloads: readonly WorkloadResult[], names: readonly string[]): Markup {
  const won = workloads.flatMap((result) => winnersOf(result) ?? [])
  if (won.length === 0) return html``
  const items = names.filter(competes).map((name) => {
    const best = won.filter((winners) => winners.best === name).length
    const tied = won.filter((winners) => winners.ties.includes(name)).length
    return html`<li><b>${name}</b> is the fastest in ${best} of ${won.length}, and not told from the fastest in ${tied} more</li>`
  })
  return html`<ul>${items}</ul>`
}
