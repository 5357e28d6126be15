/** What the suite came to, held against what is expected of it. */
import { areaOf } from './areas.ts'
import { exclusions } from './excluded.ts'

export type Outcome = 'passed' | 'failed' | 'skipped'

export interface TestResult {
  /** Without `test_`. */
  readonly name: string
  readonly outcome: Outcome
}

export interface AreaResult {
  readonly area: string
  readonly passed: number
  readonly failed: readonly string[]
  readonly excluded: number
}

export interface SuiteResult {
  readonly areas: readonly AreaResult[]
  /** Excluded, and passed all the same: the list is out of date. */
  readonly needless: readonly string[]
  /** Skipped by the suite, and not in the list. */
  readonly skipped: readonly string[]
}

const excluded: ReadonlySet<string> = new Set(exclusions.flatMap(({ names }) => names))

export function judge(results: readonly TestResult[]): SuiteResult {
  const byArea = new Map<string, TestResult[]>()
  for (const result of results) {
    const area = areaOf(result.name)
    byArea.set(area, [...(byArea.get(area) ?? []), result])
  }
  const areas = [...byArea].map(([area, all]) => ({
    area,
    passed: all.filter(({ outcome }) => outcome === 'passed').length,
    failed: all.filter(({ name, outcome }) => outcome === 'failed' && !excluded.has(name)).map(({ name }) => name),
    excluded: all.filter(({ name, outcome }) => outcome !== 'passed' && excluded.has(name)).length,
  }))
  return {
    areas: areas.sort((a, b) => (a.area < b.area ? -1 : 1)),
    needless: results.filter(({ name, outcome }) => outcome === 'passed' && excluded.has(name)).map(({ name }) => name),
    skipped: results
      .filter(({ name, outcome }) => outcome === 'skipped' && !excluded.has(name))
      .map(({ name }) => name),
  }
}

/** Reads pytest's JUnit report: a flat list of test cases, with an element inside of those that did not pass. */
export function readReport(xml: string): readonly TestResult[] {
  return [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, attributes = '', inside = '']) => {
      const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? ''
      const outcome = /<(?:failure|error)\b/.test(inside) ? 'failed' : /<skipped\b/.test(inside) ? 'skipped' : 'passed'
      return { name: name.replace(/^test_/, ''), outcome }
    },
  )
}
