/**
 * Sums up a CI run in one line, `N passed, N failed`, and exits with 1 unless nothing failed.
 *
 *     node scripts/count-tests.mjs <vitest's JSON report> <exit code of the check> <exit code of the tests>
 *
 * A failure that belongs to no single test counts as one failure: a failed check, a test file that did not load, a run
 * without a report, a run that failed although all its tests passed. So the line never reads `0 failed` on a red run.
 */
import { readFileSync } from 'node:fs'

const [reportPath = '', checkCode = '1', testsCode = '1'] = process.argv.slice(2)

const { passed, failed } = countTests(reportPath)
const failures = failed + (testsCode !== '0' && failed === 0 ? 1 : 0) + (checkCode !== '0' ? 1 : 0)
const total = passed === 0 && failures === 0 ? 1 : failures
console.log(`${passed} passed, ${total} failed`)
process.exitCode = total === 0 ? 0 : 1

function countTests(path) {
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
