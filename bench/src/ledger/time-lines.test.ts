import { describe, expect, it } from 'vitest'
import { measured, resultsOf } from '../results/results.fixture.ts'
import { builtInWorkloads } from '../workloads/built-in.ts'
import type { Workload } from '../workloads/workload.ts'
import { entryFor } from './ledger.fixture.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { timeLines } from './time-lines.ts'

/** The releases of each part of each line, by machine. */
const drawn = (entries: readonly LedgerEntry[]) => {
  const { workloads, releases } = timeLines(entries)
  const partsOf = (parts: readonly (readonly { readonly release: number }[])[]) =>
    parts.map((part) => part.map(({ release }) => releases[release]).join('-')).join(' ')
  return workloads.map(({ machines }) =>
    Object.fromEntries(
      machines.map(({ label, lines }) => [label, lines.map(({ name, parts }) => `${name}: ${partsOf(parts)}`)]),
    ),
  )
}

describe('time lines', () => {
  it('connect the releases of one machine, also over releases that were not measured there', () => {
    const entries = [
      entryFor('0.1.0'),
      entryFor('0.1.0', { label: 'xeon' }),
      entryFor('0.2.0'),
      entryFor('0.10.0'),
      entryFor('0.10.0', { label: 'xeon' }),
    ]
    expect(timeLines(entries).releases).toEqual(['0.1.0', '0.2.0', '0.10.0'])
    expect(drawn(entries)).toEqual([
      {
        epyc: ['level+files: 0.1.0-0.2.0-0.10.0', 'files: 0.1.0-0.2.0-0.10.0'],
        xeon: ['level+files: 0.1.0-0.10.0', 'files: 0.1.0-0.10.0'],
      },
    ])
  })

  it('do not connect different work', () => {
    const [workload] = builtInWorkloads as [Workload]
    const run = (operations: number) => resultsOf([measured('layout', 'level', [1])], { ...workload, operations })
    const entries = [
      entryFor('0.1.0', {}, run(100)),
      entryFor('0.2.0', {}, run(100)),
      entryFor('0.3.0', {}, run(200)),
      entryFor('0.4.0', {}, run(200)),
    ]
    expect(drawn(entries)).toEqual([{ epyc: ['level: 0.1.0-0.2.0 0.3.0-0.4.0'] }])
    expect(timeLines(entries).workloads[0]?.workload.operations).toBe(200)
  })

  it('begin and end where a contender or a workload does', () => {
    const [, second] = builtInWorkloads as [Workload, Workload]
    const entries = [
      entryFor('0.1.0', {}, resultsOf([measured('layout', 'old', [1]), measured('layout', 'level', [1])])),
      entryFor('0.2.0', {}, resultsOf([measured('layout', 'level', [1]), measured('layout', 'new', [1])])),
      entryFor('0.3.0', {}, resultsOf([measured('layout', 'level', [1])], { ...second, name: 'another' })),
    ]
    expect(drawn(entries)).toEqual([
      { epyc: ['level: 0.3.0'] },
      { epyc: ['level: 0.1.0-0.2.0', 'new: 0.2.0', 'old: 0.1.0'] },
    ])
  })
})
