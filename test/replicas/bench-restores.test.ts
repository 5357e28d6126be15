/** The short form of `npm run suite bench-restores`: every restore is compared with what was written, and every figure is there. */
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '../tidy/tree.ts'

const run = promisify(execFile)
const program = join(root, 'bench/dist/scale/restores.js')

it('bench-restores measures restores whole, at once and to moments, and a follower', async () => {
  const args = ['--objects', '50', '--events', '2000', '--moments', '2', '--load', '1', '--dir', tmpdir()]
  const { stdout } = await run(process.execPath, [program, ...args])
  for (const what of ['put \\d+ objects of 50 keys', 'whole restore', 'instant restore', 'restore to event \\d+'])
    expect(stdout).toMatch(new RegExp(`^${what}: [\\d.]+ s`, 'm'))
  expect(stdout).toMatch(/^the follower trailed by [\d.]+ s in the median/m)
  expect(stdout).toMatch(/^every restore has what was written$/m)
}, 120_000)
