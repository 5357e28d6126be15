import { describe, expect, it } from 'vitest'
import { measured, resultsOf } from '../results/results.fixture.ts'
import { againstRivals, rivalsTable } from './against-rivals.ts'
import { htmlPage } from './html/html-page.ts'

const layouts = [
  measured('layout', 'level+files', [1000, 2000, 3000]),
  measured('layout', 'segments+tiered', [500, 600, 700]),
  measured('layout', 'memory', [9000, 9000, 9000]),
]
const results = resultsOf([
  ...layouts,
  measured('rival', 'other', [500, 4000, 1000]),
  measured('rival', 'slow', [10, 10, 10]),
  measured('floor', 'files', [100, 100, 100]),
])

describe('the table of rivals', () => {
  it('sets the fastest layout that is durable against each, round by round', () => {
    const against = againstRivals(results)
    expect(against).toMatchObject({
      rivals: ['other', 'slow'],
      rows: [{ layout: 'level+files', ratios: [{ median: 2, min: 0.5, max: 3 }, { median: 200 }] }],
    })
    const table = rivalsTable(against as NonNullable<typeof against>)
    expect(table).toMatch(/÷ other +÷ slow/)
    expect(table).toContain('2.00 × [0.50–3.00]')
    expect(htmlPage(results)).toContain('2.00 × [0.50–3.00]')
  })

  it('is not there without any', () => {
    const alone = resultsOf(layouts)
    expect(againstRivals(alone)).toBeUndefined()
    expect(htmlPage(alone)).not.toContain('Against rivals')
  })

  it('has a gap where one did not take part', () => {
    const without = resultsOf([...layouts, measured('rival', 'slow', [10, 10, 10])])
    const both = { workloads: [...results.workloads, ...without.workloads] }
    expect(againstRivals(both)?.rows[1]?.ratios).toMatchObject([undefined, { median: 200 }])
  })
})
