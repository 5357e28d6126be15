/** The report for people: one HTML file without external resources. */
import type { LedgerEntry } from '../../ledger/ledger-entry.ts'
import type { BenchResults } from '../../results/results.ts'
import { bytesText } from '../format.ts'
import { glance } from './glance.ts'
import { html, Markup } from '../markup.ts'
import { releasesSection } from './releases/releases-section.ts'
import { releasesStyle } from './releases/style.ts'
import { rivalsSection } from './rivals.ts'
import { section } from './section.ts'
import { style } from './style.ts'

/** The page of a run. `ledger` has the entries of all releases, if the run belongs to one. */
export function htmlPage(results: BenchResults, ledger: readonly LedgerEntry[] = []): string {
  const { date, varve, node, machine, options, workloads } = results
  const disk = machine.fileSystem === undefined ? '' : `, ${machine.fileSystem}`
  const circumstances = [
    `Varve ${varve}, Node ${node}, ${machine.processors} × ${machine.model}, ${bytesText(machine.memory)}${disk}, ${machine.platform}`,
    `${options.rounds} interleaved rounds, seed ${options.seed}, scale ${options.scale}. Figures are medians of the rounds [least–most].`,
  ]
  const over = ledger.length === 0 ? undefined : html`<p><a href="#releases">The same figures over releases</a></p>`
  return documentOf(
    `Varve bench, ${date.slice(0, 10)}`,
    html`<h1>Varve bench</h1><p class="faint">${date}<br>${new Markup(circumstances.map((line) => html`${line}`.text).join('<br>'))}</p>
${warnings(results)}
${over}
<h2>At a glance</h2>${glance(results)}
${rivalsSection(results)}
<h2>Each workload</h2>
<p class="faint">Blue bars are layouts, the full blue the fastest that is durable and whatever is not told from it; brown bars are rivals, grey bars are what the machine allows without a store. Strokes are from the slowest round to the fastest. Every answer was checked against what was written.</p>
${workloads.map(section)}
${ledger.length === 0 ? undefined : releasesSection(ledger)}`,
  )
}

/** The page of a ledger, without a run. */
export const ledgerPage = (ledger: readonly LedgerEntry[]): string =>
  documentOf('Varve bench over releases', html`<h1>Varve bench</h1>${releasesSection(ledger)}`)

function documentOf(title: string, body: Markup): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${new Markup(style + releasesStyle)}</style></head>
<body>${body}
</body></html>
`
  return page.text
}

function warnings({ options, machine }: BenchResults): Markup[] {
  const texts: string[] = []
  if (options.smoke) texts.push('A smoke run: it shows that the bench works, and its figures mean nothing.')
  if (machine.fileSystem === 'tmpfs') texts.push('This was written to memory, not to a disk.')
  return texts.map((text) => html`<p class="warning">${text}</p>`)
}
