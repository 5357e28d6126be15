/** People and programs rely on the last line of CI. It must not read `0 failed` on a run that went wrong. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './tree.ts'

const passing = { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] }
const failing = { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] }
const unloaded = { status: 'failed', assertionResults: [] }

type Results = readonly (typeof passing)[]

interface Run {
  readonly code: number
  /** None: the run left no report. */
  readonly results?: Results
}

const sound: Run = { code: 0, results: [passing] }

describe('the count of a CI run', () => {
  let scratch: string
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'varve-count-'))
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  const cases: readonly [title: string, check: number, runs: readonly Run[], line: string][] = [
    ['all is well', 0, [sound], '2 passed, 0 failed'],
    ['all is well in two runs', 0, [sound, sound], '4 passed, 0 failed'],
    ['a test failed', 0, [{ code: 1, results: [passing, failing] }], '3 passed, 1 failed'],
    ['a test failed in the second run', 0, [sound, { code: 1, results: [passing, failing] }], '5 passed, 1 failed'],
    ['the check failed', 1, [sound], '2 passed, 1 failed'],
    ['both failed', 2, [{ code: 1, results: [failing] }], '1 passed, 2 failed'],
    ['a test file did not load', 0, [{ code: 1, results: [passing, unloaded] }], '2 passed, 1 failed'],
    ['an error came outside any test', 0, [{ code: 1, results: [passing] }], '2 passed, 1 failed'],
    ['no test ran', 0, [{ code: 0, results: [] }], '0 passed, 1 failed'],
    ['no test ran in the second run', 0, [sound, { code: 0, results: [] }], '2 passed, 1 failed'],
    ['a run left no report', 0, [sound, { code: 137 }], '2 passed, 1 failed'],
    ['no run is named', 0, [], '0 passed, 1 failed'],
  ]
  for (const [title, check, runs, line] of cases) {
    it(`is "${line}" when ${title}`, () => {
      expect(count(scratch, check, runs)).toEqual({ line, code: line.endsWith(' 0 failed') ? 0 : 1 })
    })
  }
})

function count(scratch: string, check: number, runs: readonly Run[]): { line: string; code: number | null } {
  const reports = runs.flatMap(({ code, results }, at) => {
    const path = join(scratch, `report-${at}.json`)
    rmSync(path, { force: true })
    if (results !== undefined) writeFileSync(path, JSON.stringify(reportOf(results)))
    return [path, String(code)]
  })
  const script = join(root, 'scripts/count-tests.mjs')
  const { stdout, status } = spawnSync(process.execPath, [script, String(check), ...reports], { encoding: 'utf8' })
  return { line: stdout.trimEnd(), code: status }
}

/** The part of vitest's JSON report that is counted. */
function reportOf(testResults: Results) {
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const of = (wanted: string): number => statuses.filter((status) => status === wanted).length
  return { numPassedTests: of('passed'), numFailedTests: of('failed'), testResults }
}
