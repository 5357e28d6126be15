import { describe, expect, it } from 'vitest'
import { htmlPage } from '../report/html/html-page.ts'
import { boundNote } from '../report/marked-rate.ts'
import { terminalTable } from '../report/terminal-table.ts'
import { isBoundByGenerator } from './generator-bound.ts'
import { measured, resultsOf, withShares } from './results.fixture.ts'
import type { WorkloadResult } from './results.ts'

const flat = (median: number) => ({ median, min: median, max: median })

describe('a rate', () => {
  it.each([
    ['the generator is at its limit and the server is not', 0.97, 0.4, true],
    ['both are at their limits', 0.97, 0.9, false],
    ['the server works on several processors', 0.97, 1.6, false],
    ['the server is at its limit', 0.5, 0.98, false],
    ['neither is', 0.85, 0.5, false],
  ])('when %s', (_, generator, server, isBound) => {
    expect(isBoundByGenerator({ generatorCpu: flat(generator), serverCpu: flat(server) })).toBe(isBound)
  })

  it('is not marked when a share was not measured: in process, and in results of older releases', () => {
    expect(isBoundByGenerator({})).toBe(false)
    expect(isBoundByGenerator({ generatorCpu: flat(1) })).toBe(false)
  })

  it('that is bound by the generator is marked and explained, in the terminal and on the page', () => {
    const bound = withShares(measured('floor', 'node-http', [900, 1000, 1100]), 0.96, 0.3)
    const free = withShares(measured('layout', 'level+files', [400, 500, 600]), 0.6, 0.97)
    const results = resultsOf([free, bound])
    const table = terminalTable(results.workloads[0] as WorkloadResult)
    expect(table).toMatch(/\(node-http\) +1,000\/s \[900–1,100\] † /)
    expect(table).toMatch(/level\+files +500\/s \[400–600\] +/)
    expect(table).toContain(boundNote)
    const page = htmlPage(results)
    expect(page).toContain('1,000/s [900–1,100] †</td>')
    expect(page).toContain('aria-label="1,000/s [900–1,100] †"')
    expect(page).toContain('0.30 CPU [0.30–0.30]')
    expect(page).toContain(boundNote)
  })

  it('has no note when none is', () => {
    expect(htmlPage(resultsOf([measured('layout', 'level', [1])]))).not.toContain('†')
  })
})
