import { describe, expect, it } from 'vitest'
import { comparisonTable } from '../report/comparison-table.ts'
import { measured, resultsOf } from './results.fixture.ts'
import { builtInWorkloads } from '../workloads/built-in.ts'
import type { Workload } from '../workloads/workload.ts'
import { compareResults } from './compare.ts'

const before = resultsOf([measured('layout', 'level', [100, 110, 120]), measured('layout', 'memory', [100, 100, 100])])

describe('compareResults', () => {
  it('marks what changed by more than the rounds differ', () => {
    const after = resultsOf([measured('layout', 'level', [220, 230, 240]), measured('layout', 'memory', [50, 50, 50])])
    const { rows, notes } = compareResults(before, after)
    expect(rows.map(({ contender, rate, verdict }) => [contender, rate, verdict])).toEqual([
      ['level', 230 / 110, 'faster'],
      ['memory', 0.5, 'slower'],
    ])
    expect(notes).toEqual([])
    const table = comparisonTable({ rows, notes })
    expect(table).toMatch(/put-4k-16, level +110\/s \[100–120\] +230\/s \[220–240\] +2\.09 .*▲ faster/)
    expect(table).toMatch(/▼ slower/)
  })

  it('marks nothing that chance may do', () => {
    const after = resultsOf([measured('layout', 'level', [119, 130, 140])])
    expect(compareResults(before, after).rows).toMatchObject([{ contender: 'level', verdict: 'within the spread' }])
  })

  it('does not compare different work, and notes it', () => {
    const [work] = before.workloads
    const heavier = { ...(work?.workload as Workload), operations: 9 }
    const { rows, notes } = compareResults(before, resultsOf([measured('layout', 'level', [1])], heavier))
    expect(rows).toEqual([])
    expect(notes).toEqual(['put-4k-16: not the same work in both, so not compared.'])
  })

  it('notes workloads that only one result has, and a different machine or Node', () => {
    const other = resultsOf([measured('layout', 'level', [1])], builtInWorkloads[0] as Workload)
    const elsewhere = { ...other, node: 'v24.0.0', machine: { ...other.machine, model: 'Another' } }
    expect(compareResults(before, elsewhere).notes).toEqual([
      expect.stringContaining('Not the same machine') as string,
      'Not the same Node: v20.20.0; v24.0.0.',
      'put-4k-16: only in the first.',
      'put-4k-1: only in the second.',
    ])
  })
})
