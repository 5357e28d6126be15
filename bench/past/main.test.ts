/** The short form of `npm run suite bench-past`: every line is there. Its figures mean nothing. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('../dist/past/main.js', import.meta.url))
const parts: Readonly<Record<string, readonly [lines: number, named: readonly string[]]>> = {
  retention: [6, ['PUT 4 KiB', 'GET 64 KiB', 'Written per byte put']],
  moments: [54, ['GET as of, unversioned, 1 before, 10 after', 'LIST as of, suspended, 10 before, 0 after']],
  forks: [4, ['create and drop a fork', 'LIST through a fork']],
  'going-back': [9, ['undo of the deletions', 'restore to before them', 'events to a subscription']],
}

it.each(Object.entries(parts))('the bench of the past measures %s', async (part, [lines, named]) => {
  const args = [program, '--rounds', '1', '--scale', '0.003', '--only', part]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  for (const name of named) expect(stdout).toMatch(new RegExp(`^${name}.* +\\d`, 'm'))
  expect(stdout.trim().split('\n')).toHaveLength(lines)
})
