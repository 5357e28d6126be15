import { describe, expect, it } from 'vitest'
import { measured, resultsOf } from './results.fixture.ts'
import { parseResults } from './parse-results.ts'

const results = resultsOf([measured('layout', 'level', [1, 2, 3]), measured('floor', 'files', [2, 2, 2])])
const text = JSON.stringify(results)

describe('results', () => {
  it('come back as they were written', () => {
    expect(parseResults('a.json', text)).toEqual(results)
  })

  it('hold the ratio to each floor, round by round', () => {
    expect(results.workloads[0]?.contenders[0]?.ratios).toEqual({ files: { median: 1, min: 0.5, max: 1.5 } })
  })

  it.each([
    ['', 'is not JSON'],
    ['{"schema":', 'is not JSON'],
    ['null', 'does not hold results'],
    ['[]', 'does not hold results'],
    ['{"schema":1}', 'does not hold results'],
    [text.replace('varve-bench/1', 'varve-bench/2'), 'as varve-bench/2; this release reads varve-bench/1'],
    [text.replace('"rate":{', '"rote":{'), 'is damaged'],
    [text.replace('"median":2,', '"median":"<script>",'), 'is damaged'],
    [text.replace('"kind":"layout"', '"kind":"other"'), 'is damaged'],
    [text.replace(/"workloads":.*/, '"workloads":{}}'), 'is damaged'],
    [text.replace(/"machine":\{/, '"machina":{'), 'is damaged'],
  ])('are refused when they are not: %.40s', (wrong, why) => {
    expect(() => parseResults('a.json', wrong)).toThrow(why)
  })
})
