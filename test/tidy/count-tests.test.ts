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

interface Run {
  readonly check: number
  readonly tests: number
  readonly results?: readonly (typeof passing)[]
}

describe('the count of a CI run', () => {
  let scratch: string
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'varve-count-'))
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  const cases: readonly [title: string, run: Run, line: string, code: number][] = [
    ['all is well', { check: 0, tests: 0, results: [passing] }, '2 passed, 0 failed', 0],
    ['a test failed', { check: 0, tests: 1, results: [passing, failing] }, '3 passed, 1 failed', 1],
    ['the check failed', { check: 1, tests: 0, results: [passing] }, '2 passed, 1 failed', 1],
    ['both failed', { check: 2, tests: 1, results: [failing] }, '1 passed, 2 failed', 1],
    ['a test file did not load', { check: 0, tests: 1, results: [passing, unloaded] }, '2 passed, 1 failed', 1],
    ['an error came outside any test', { check: 0, tests: 1, results: [passing] }, '2 passed, 1 failed', 1],
    ['no test ran', { check: 0, tests: 0, results: [] }, '0 passed, 1 failed', 1],
    ['the run left no report', { check: 0, tests: 137 }, '0 passed, 1 failed', 1],
  ]
  for (const [title, run, line, code] of cases) {
    it(`is "${line}" when ${title}`, () => {
      expect(count(scratch, run)).toEqual({ line, code })
    })
  }
})

function count(scratch: string, { check, tests, results }: Run): { line: string; code: number | null } {
  const path = join(scratch, 'report.json')
  rmSync(path, { force: true })
  if (results !== undefined) writeFileSync(path, JSON.stringify(reportOf(results)))
  const script = join(root, 'scripts/count-tests.mjs')
  const { stdout, status } = spawnSync(process.execPath, [script, path, String(check), String(tests)], {
    encoding: 'utf8',
  })
  return { line: stdout.trimEnd(), code: status }
}

/** The part of vitest's JSON report that is counted. */
function reportOf(testResults: readonly (typeof passing)[]) {
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const of = (wanted: string): number => statuses.filter((status) => status === wanted).length
  return { numPassedTests: of('passed'), numFailedTests: of('failed'), testResults }
}
