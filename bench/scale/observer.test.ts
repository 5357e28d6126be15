/** The short form of `npm run suite bench-observer`: it runs, and the observer receives everything. Its figures mean nothing. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('../dist/scale/observer.js', import.meta.url))

it('the bench of the observer measures both stores, and the observer counts every request and command', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--rounds', '2', '--count', '10'])
  for (const name of ['PUT 4 KiB in process', 'GET 4 KiB in process', 'PUT 4 KiB over HTTP', 'GET 4 KiB over HTTP'])
    expect(stdout).toMatch(new RegExp(`^${name} +observed +\\d+ us +plain +\\d+ us +[\\d.]+ \\[`, 'm'))
  const counted = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Readonly<Record<string, number>>
  expect(counted['requests']).toBe(400)
  expect(counted['commands']).toBeGreaterThanOrEqual(160)
})
