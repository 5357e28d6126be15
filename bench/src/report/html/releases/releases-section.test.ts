/** The charts over releases, by what they hold: every figure as text too, and nothing by colour alone. */
import { describe, expect, it } from 'vitest'
import { entryFor } from '../../../ledger/ledger.fixture.ts'
import { measured, resultsOf, withShares } from '../../../results/results.fixture.ts'
import { builtInWorkloads } from '../../../workloads/built-in.ts'
import { workloadResult } from '../../../results/results.ts'
import { boundNote } from '../../marked-rate.ts'
import { style } from '../style.ts'
import { htmlPage, ledgerPage } from '../html-page.ts'
import { unclosed } from '../well-formed.fixture.ts'
import { releasesStyle } from './style.ts'

const contenders = [
  withShares(measured('layout', 'level+files', [90, 101, 110]), 0.5, 0.95),
  withShares(measured('floor', 'node-http', [180, 202, 220]), 0.97, 0.3),
]
const workloads = builtInWorkloads.map((workload) => workloadResult(workload, contenders))
const run = { ...resultsOf([]), workloads }
const entries = [
  entryFor('0.1.0', { commit: 'cb09302912345', note: 'A busy machine.' }, run),
  entryFor('0.1.0', { label: 'xeon' }, run),
  entryFor('0.2.0', {}, run),
]
const page = ledgerPage(entries)

describe('the page of a ledger', () => {
  it('is well formed and needs nothing else, alone and after a run', () => {
    for (const one of [page, htmlPage(run, entries)]) {
      expect(unclosed(one)).toEqual([])
      expect(one).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:|src=/)
      expect(one).not.toMatch(/NaN|Infinity|undefined|\[object/)
      const ids = one.match(/ id="[^"]*"/g)
      expect(ids).toHaveLength(new Set(ids).size)
    }
    expect(htmlPage(run, entries)).toContain('<a href="#releases">')
    expect(htmlPage(run)).not.toContain('releases"')
  })

  it('has the processor time of each workload and machine before the rate', () => {
    const titles = [...page.matchAll(/<figcaption>([^<]*)/g)].map(([, title]) => title)
    expect(titles).toHaveLength(4 * builtInWorkloads.length)
    expect(titles.slice(0, 4)).toEqual([
      'Processor time on epyc, µs an operation',
      'Rate on epyc, operations/s',
      'Processor time on xeon, µs an operation',
      'Rate on xeon, operations/s',
    ])
  })

  it('has a text for every chart, and every figure in a table with heads', () => {
    const charts = page.match(/<svg class="time"[^>]*>/g) ?? []
    expect(charts).toHaveLength(4 * builtInWorkloads.length)
    for (const chart of charts) expect(chart).toMatch(/role="img" aria-label="[^"]{20,}"/)
    expect(page).toContain('level+files 101 in 0.1.0, 101 in 0.2.0; node-http 202')
    expect(page.match(/<svg (?!class="time")[^>]*>/g)?.every((one) => one.includes('aria-hidden'))).toBe(true)
    expect(page.match(/<table/g)).toHaveLength(page.match(/<caption>/g)?.length ?? 0)
    expect(page).not.toMatch(/<th>|<th class/)
    expect(page).toMatch(
      /<th scope="row">0\.2\.0<\/th><td>epyc<\/td>\s<td>level\+files<\/td>\s<td>50\.0 \[50\.0–50\.0\]<\/td>/,
    )
    for (const text of ['cb09302912', 'A busy machine.', 'v20.20.0', '2 × A processor']) expect(page).toContain(text)
  })

  it('marks rates that are bound by the generator in the chart and the table, but not processor times', () => {
    const [cpu = '', rate = ''] = page.match(/<svg class="time"[\s\S]*?<\/svg>/g) ?? []
    expect(cpu).not.toContain('†')
    expect(rate.match(/mark hollow/g)).toHaveLength(2)
    expect(rate.match(/>†</g)).toHaveLength(2)
    expect(page).toContain('202/s [180–220] †</td>')
    expect(page).toContain(boundNote)
  })

  it('breaks the line and marks the row where the work changes', () => {
    const [first] = builtInWorkloads
    if (first === undefined) throw new Error('There is no workload.')
    const changed = entryFor('0.2.0', {}, resultsOf(contenders, { ...first, operations: 7 }))
    const broken = ledgerPage([entryFor('0.1.0', {}, resultsOf(contenders, first)), changed])
    expect(broken).not.toMatch(/class="line" d="M[^"]*L/)
    expect(broken).toContain('<th scope="row">0.2.0 ‡</th>')
    expect(page).toMatch(/class="line" d="M[^"]*L/)
    expect(page).not.toContain('‡')
  })

  it('shows what it is given as text', () => {
    const hostile = entryFor('0.1.0', { note: '<script>alert(1)</script>' }, { ...run, node: '"><img>' })
    expect(ledgerPage([hostile])).not.toMatch(/<script|<img/)
  })
})

describe('its colours', () => {
  it.each([
    ['light', 0],
    ['dark', 1],
  ])('stand out from the paper: %s', (_, theme) => {
    const declared = (name: string) =>
      [...`${style}${releasesStyle}`.matchAll(new RegExp(`--${name}: (#[0-9a-f]+)`, 'g'))].map(
        ([, value = '']) => value,
      )
    const against = (name: string) => contrast(declared(name)[theme] ?? '', declared('paper')[theme] ?? '')
    for (const name of ['ink', 'faint', 'warn']) expect(against(name), name).toBeGreaterThanOrEqual(4.5)
    for (let i = 0; i < 6; i++) expect(against(`series-${i}`), `series-${i}`).toBeGreaterThanOrEqual(3)
  })
})

/** As WCAG defines it. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((one, other) => other - one)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.slice(1).replace(/./g, '$&$&').match(/../g) : colour.slice(1).match(/../g)
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map((pair) => {
    const share = Number.parseInt(pair, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
