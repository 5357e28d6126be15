/** The example with two processes: one stores notes, the other one keeps an index of them. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { openStore } from 'varve'

const program = fileURLToPath(new URL('../../examples/processes/processes.mjs', import.meta.url))

it('the example of two processes indexes the notes of one in the other', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-processes-'))
  const { stdout } = await promisify(execFile)(process.execPath, [program, dir, 'water the plants', 'sell the plants'])
  expect(stdout.split('\n')).toEqual([
    'plants ["note-1","note-2"]',
    'sell ["note-2"]',
    'the ["note-1","note-2"]',
    'water ["note-1"]',
    '',
  ])
  const store = await openStore(dir)
  expect((await store.verify()).ok).toBe(true)
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
