/** Bar charts that fit the width of the page: lengths are percentages, so that text keeps its size on a phone. */
import type { ContenderResult, WorkloadResult } from '../../results/results.ts'
import { short } from '../format.ts'
import { markedRate } from '../marked-rate.ts'
import { html, type Markup } from '../markup.ts'

const percent = (share: number): string => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`

/** Rates, from zero to the fastest of all rounds. The line spans the slowest and the fastest round. */
export function rateChart({ workload: { unit }, contenders }: WorkloadResult, best: readonly string[]): Markup {
  const longest = Math.max(...contenders.map(({ figures }) => figures.rate.max))
  const rows = contenders.map((one) => {
    const { median, min, max } = one.figures.rate
    const bar = best.includes(one.name) ? 'bar-best' : `bar-${one.kind}`
    const text = markedRate(unit, one.figures)
    const svg = html`<svg role="img" aria-label="${text}"><rect class="${bar}" width="${percent(median / longest)}" height="18" rx="2"/><line class="whisker" x1="${percent(min / longest)}" x2="${percent(max / longest)}" y1="9" y2="9"/></svg>`
    return row(one, svg, text)
  })
  return html`<div class="chart">${rows}</div>`
}

/** Latencies from p50 to p99 on a logarithmic scale, since contenders differ most in the tail. */
export function latencyChart({ contenders }: WorkloadResult): Markup {
  const all = contenders.flatMap(({ figures }) => [figures.p50.median, figures.p99.median]).filter((ms) => ms > 0)
  const [least, most] = [Math.min(...all), Math.max(...all)]
  const place = (ms: number): string => {
    const share = most > least && ms > 0 ? Math.log(ms / least) / Math.log(most / least) : 0.5
    return percent(0.02 + 0.96 * share)
  }
  const rows = contenders.map((one) => {
    const { p50, p99 } = one.figures
    const text = `${short(p50.median)} … ${short(p99.median)} ms`
    const [from, to] = [place(p50.median), place(p99.median)]
    const svg = html`<svg role="img" aria-label="${text}"><line class="reach reach-${one.kind}" x1="${from}" x2="${to}" y1="9" y2="9"/><circle class="p50" cx="${from}" cy="9" r="4.5"/><circle class="p99" cx="${to}" cy="9" r="4.5"/></svg>`
    return row(one, svg, text)
  })
  return html`<div class="chart">${rows}</div>`
}

const row = ({ kind, name, about }: ContenderResult, svg: Markup, value: string): Markup =>
  html`<div class="row"><span class="name ${kind}" title="${about}">${name}</span>${svg}<span class="value ${kind}">${value}</span></div>`
