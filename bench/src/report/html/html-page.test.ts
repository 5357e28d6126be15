/** The page, by what it holds: it must stand alone, be well formed, and keep no figure to itself. */
import { describe, expect, it } from 'vitest'
import { measured, resultsOf } from '../../results/results.fixture.ts'
import { workloadResult } from '../../results/results.ts'
import { builtInWorkloads } from '../../workloads/built-in.ts'
import { rateSpread, spreadText } from '../format.ts'
import { htmlPage } from './html-page.ts'
import { terminalTable } from '../terminal-table.ts'
import { unclosed } from './well-formed.fixture.ts'

const contenders = [
  measured('layout', 'level', [1000, 1234, 1500]),
  measured('layout', 'level+files', [1400, 1490, 1600]),
  measured('layout', 'slow', [10, 11, 12]),
  measured('layout', 'memory', [90_000, 99_000, 99_999]),
  measured('floor', 'files', [2468, 2469, 2470]),
]
const one = resultsOf(contenders)
const results = { ...one, workloads: builtInWorkloads.map((workload) => workloadResult(workload, contenders)) }
const page = htmlPage(results)

describe('the page', () => {
  it('is well formed, and the check can see', () => {
    expect(unclosed(page)).toEqual([])
    expect(unclosed('<p><b>x</p>')).toEqual(['</p>'])
    expect(page.match(/ id="[^"]*"/g)).toHaveLength(new Set(page.match(/ id="[^"]*"/g)).size)
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
  })

  it('needs nothing else', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:|src=/)
    for (const [, target = ''] of page.matchAll(/href="([^"]*)"/g)) expect(target).toMatch(/^#[\w-]+$/)
    for (const [, target = ''] of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${target}"`)
  })

  it('is for light and dark, and for phones', () => {
    expect(page).toContain('prefers-color-scheme: dark')
    expect(page).toContain('width=device-width')
  })

  it('holds every figure, with its spread', () => {
    for (const { workload, contenders: all } of results.workloads) {
      for (const { figures, ratios } of all) {
        expect(page).toContain(rateSpread(workload.unit, figures.rate))
        for (const spread of [figures.p50, figures.p95, figures.p99, figures.max])
          expect(page).toContain(spreadText(spread))
        for (const ratio of Object.values(ratios)) expect(page).toContain(spreadText(ratio))
      }
    }
    expect(page).toContain('A processor')
    expect(page).toContain('seed 1')
  })

  it('marks the fastest and its ties, and does not rank memory', () => {
    expect(page).toMatch(/<td class="best" style="--share: 100%"><span class="rate">1,490</)
    expect(page).toMatch(
      /<td class="tie" style="--share: 83%"><span class="rate">1,234<\/span><span class="share">83 %/,
    )
    expect(page).toMatch(/<td class="" style="--share: 0%"><span class="rate">99.0k</)
    expect(page).toMatch(/<b>level\+files<\/b> is the fastest in 33 of 33/)
  })

  it('shows what it is given as text', () => {
    const [workload] = builtInWorkloads
    if (workload === undefined) throw new Error('There is no workload.')
    const hostile = {
      ...one,
      node: '<script>alert(1)</script>',
      workloads: [workloadResult({ ...workload, title: '"><img>' }, contenders)],
    }
    const shown = htmlPage(hostile)
    expect(shown).not.toMatch(/<script|<img/)
    expect(unclosed(shown)).toEqual([])
  })

  it('warns of runs that mean nothing', () => {
    const smoke = htmlPage({
      ...one,
      options: { ...one.options, smoke: true },
      machine: { ...one.machine, fileSystem: 'tmpfs' },
    })
    expect(smoke).toContain('its figures mean nothing')
    expect(smoke).toContain('written to memory')
  })
})

describe('the table', () => {
  it('has the same figures, in columns', () => {
    const [, workload] = results.workloads
    const table = terminalTable(workload ?? (one.workloads[0] as never))
    expect(table).toMatch(/level +1,234\/s \[1,000–1,500\] +0\.50 \[0\.41–0\.61\]/)
    expect(table).toContain('(files)')
  })
})
