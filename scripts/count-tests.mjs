/**
 * Sums up a CI run in one line, `N passed, N failed`, and exits with 1 unless nothing failed.
 *
 *     node scripts/count-tests.mjs <exit code of the check> [<vitest's JSON report> <exit code of vitest>]...
 *
 * A failure that belongs to no single test counts as one failure: a failed check, a test file that did not load, a run
 * without a report, a run that failed although all its tests passed. So the line never reads `0 failed` on a red run.
 */
import { readFileSync } from 'node:fs'

const [checkCode = '1', ...rest] = process.argv.slice(2)
const runs = Array.from({ length: Math.ceil(rest.length / 2) }, (_, at) => countRun(rest[at * 2], rest[at * 2 + 1]))

const passed = runs.reduce((sum, run) => sum + run.passed, 0)
const failed = runs.reduce((sum, run) => sum + run.failed, checkCode === '0' ? 0 : 1)
const total = runs.length === 0 ? Math.max(failed, 1) : failed
console.log(`${passed} passed, ${total} failed`)
process.exitCode = total === 0 ? 0 : 1

/** A run in which nothing passed and nothing failed is a failed one. */
function countRun(path, code) {
  const { passed, failed } = countReport(path)
  return { passed, failed: failed === 0 && (code !== '0' || passed === 0) ? 1 : failed }
}

function countReport(path) {
  let report
  try {
    report = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { passed: 0, failed: 0 }
  }
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  )
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length }
}
