import { describe, expect, it } from 'vitest'
import { measured, resultsOf, withShares } from '../results/results.fixture.ts'
import { builtInWorkloads } from '../workloads/built-in.ts'
import { workloadResult } from '../results/results.ts'
import { entryText, fileNameOf, parseEntry } from './entry-text.ts'
import { entryOf } from './ledger-entry.ts'
import { entryFor } from './ledger.fixture.ts'

const contenders = [
  withShares(measured('layout', 'level+files', [90, 100, 123.456]), 0.5, 0.9),
  measured('floor', 'files', [180, 100, 246.912]),
]
const results = { ...resultsOf(contenders), varve: '0.4.0' }
const entry = entryOf(results, { label: 'epyc', note: 'a note', commit: 'cb09302' })
const text = entryText(entry)

describe('an entry', () => {
  it('holds the facts and figures of the run, and neither its rounds nor descriptions', () => {
    expect(entry).toMatchObject({
      label: 'epyc',
      note: 'a note',
      commit: 'cb09302',
      varve: '0.4.0',
      node: results.node,
    })
    expect(entry).toMatchObject({ machine: results.machine, options: results.options, date: results.date })
    const [first, floor] = entry.workloads[0]?.contenders ?? []
    expect(first?.figures).toEqual({
      cpuMicros: { median: 50, min: 50, max: 50 },
      rate: { median: 100, min: 90, max: 123.5 },
      generatorCpu: { median: 0.5, min: 0.5, max: 0.5 },
      serverCpu: { median: 0.9, min: 0.9, max: 0.9 },
    })
    expect(floor).toEqual({ kind: 'floor', name: 'files', figures: expect.anything() as unknown })
    expect(text).not.toMatch(/"rounds":\[|about/)
  })

  it('has the ratios of rounds to the first floor', () => {
    const [first] = entry.workloads[0]?.contenders ?? []
    expect(first?.ofFloor).toEqual({
      cpuMicros: { median: 1, min: 1, max: 1 },
      rate: { median: 0.5, min: 0.5, max: 1 },
    })
  })

  it('comes back as it was written, for every kind of workload', () => {
    const workloads = builtInWorkloads.map((workload) => workloadResult(workload, contenders))
    const whole = entryOf({ ...results, workloads }, { label: 'epyc' })
    expect(parseEntry('a.json', entryText(whole))).toEqual(whole)
    expect(parseEntry('a.json', text)).toEqual(entry)
  })

  it('has a line for each contender, and a name of its release and machine', () => {
    expect(text.split('\n').filter((line) => line.startsWith('{"kind":'))).toHaveLength(2)
    expect(fileNameOf(entryFor('0.5.0-rc.1', { label: 'xeon-2' }))).toBe('0.5.0-rc.1-xeon-2.json')
  })

  it.each([
    ['', 'is not JSON'],
    [text.slice(0, -20), 'is not JSON'],
    ['[]', 'does not hold an entry'],
    [JSON.stringify(results), 'does not hold an entry'],
    [
      text.replace('ledger/1', 'ledger/2'),
      'has the form varve-bench-ledger/2; this release reads varve-bench-ledger/1',
    ],
    [text.replace('"rate":', '"rote":'), 'entry.workloads[0].contenders[0].figures has no option "rote"'],
    [text.replace('"median":50,', '"median":"<script>",'), 'figures.cpuMicros.median must be a number from 0'],
    [text.replace('"median":50,', '"median":1e999,'), 'figures.cpuMicros.median must be a number from 0'],
    [text.replace('"kind":"layout"', '"kind":"other"'), 'contenders[0].kind must be one of layout, rival, floor'],
    [text.replace('"kind":"mix"', '"kind":"max"'), 'workloads[0].workload.kind must be one of mix, special, wire'],
    [text.replace('"label": "epyc"', '"label": "../epyc"'), 'entry.label must be up to 32 lower-case letters'],
    [text.replace('"varve": "0.4.0"', '"varve": "../0"'), 'entry.varve must be a version'],
    [text.replace('"processors":2', '"processors":0'), 'entry.machine.processors must be a whole number'],
  ])('that is broken is refused with a code, and the error names the file: %.40s', (wrong, why) => {
    expect(() => parseEntry('ledger/a.json', wrong)).toThrow(
      expect.objectContaining({
        code: 'BrokenLedgerEntry',
        message: expect.stringMatching(/^ledger\/a\.json /) as string,
      }),
    )
    expect(() => parseEntry('ledger/a.json', wrong)).toThrow(why)
  })
})
