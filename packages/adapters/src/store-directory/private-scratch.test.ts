import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { lockFile } from './lock/lock-file.ts'
import { privateScratch, removeScratch } from './private-scratch.ts'

const next = scratchDirectory()
let parent: string

beforeEach(async () => {
  parent = next.next()
  await mkdir(parent)
  vi.stubEnv('TMPDIR', parent)
})
afterEach(() => void vi.unstubAllEnvs())

/** As a process that was killed has left it. */
async function left(name: string, agoMs: number): Promise<string> {
  const directory = join(parent, name)
  await mkdir(join(directory, 'copy'), { recursive: true })
  await writeFile(join(directory, 'lock'), '')
  await writeFile(join(directory, 'copy', 'secret'), 'of the log')
  const then = new Date(Date.now() - agoMs)
  await utimes(directory, then, then)
  return directory
}

it('removes what killed processes have left, and nothing that is in use, young, or of others', async () => {
  await left('varve-read-killed', 3_600_000)
  await left('varve-read-young', 0)
  await left('another', 3_600_000)
  const lock = await lockFile(await left('varve-read-used', 3_600_000))
  const scratch = await privateScratch()
  const own = dirname(scratch).slice(parent.length + 1)
  expect((await readdir(parent)).sort()).toEqual(['another', 'varve-read-used', 'varve-read-young', own].sort())
  await utimes(dirname(scratch), 0, 0)
  const other = await privateScratch()
  expect(await readdir(scratch)).toEqual([])
  await removeScratch(other)
  await removeScratch(scratch)
  expect((await readdir(parent)).sort()).toEqual(['another', 'varve-read-used', 'varve-read-young'])
  await lock.release()
})
