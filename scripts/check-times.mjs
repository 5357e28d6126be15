/**
 * Refuses test files of the fast tier that used too much processor time when they ran last on this machine. `npm test` must stay a command
 * that people can wait for: a file over the limit belongs into `test/support/long-tests.ts`, or can be made cheaper.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const limitSeconds = 20

/**
 * The processor time of each test file that ran on this machine, as a run of the tests leaves it:
 * `{ [path]: { tier: string, seconds: number } }`.
 */
export const timesPath = join(root, 'node_modules/.cache/varve-test-times.json')

/** @returns a line for each file over the limit */
export function overLimit(times) {
  return Object.entries(times)
    .filter(([path, { tier, seconds }]) => tier === 'fast' && seconds > limitSeconds && existsSync(join(root, path)))
    .map(
      ([path, { seconds }]) =>
        `${path} used ${seconds} s of processor time. The limit of the fast tier is ${limitSeconds} s.`,
    )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (existsSync(timesPath)) {
    const found = overLimit(JSON.parse(readFileSync(timesPath, 'utf8')))
    for (const line of found) console.error(line)
    if (found.length > 0) process.exitCode = 1
  } else console.log('The tests have not run here, so there are no times to check: npm test')
}
