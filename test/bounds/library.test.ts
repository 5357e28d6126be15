/** What the library holds while it works: bounded by what it does at once, never by how much there is. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect } from 'vitest'
import { measured, mib, sized, report } from './support/forms.ts'
import { measure, type Measured } from './support/library-process.ts'
import type { ScenarioName } from './support/library-scenarios.ts'

const directories: string[] = []
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-bounds-'))
  directories.push(directory)
})
afterAll(() => Promise.all(directories.map((path) => rm(path, { recursive: true, force: true }))))

/** What grows with the log is its tables, which are mapped: then the process's own memory is what is looked at. */
async function within(name: ScenarioName, size: number, most: number, own = false): Promise<Measured> {
  const began = performance.now()
  const result = await measure(name, directory, size)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const grown = (own ? result.ownGrown : result.grown) / mib
  report(`${name} (${size}): ${own ? 'own memory' : 'RSS'} +${grown.toFixed(0)} MiB, of ${most} allowed; ${seconds} s`)
  expect(grown, `${name}: MiB more than before`).toBeLessThanOrEqual(most)
  expect(result.handles, `${name}: handles left open`).toBeLessThanOrEqual(0)
  return result
}

describe('a body of 1 GiB', () => {
  const size = sized(96, 1024) * mib
  const forms = ['put a file', 'put a stream', 'get to a file', 'get as a slow stream'] as const
  for (const form of forms) {
    measured(`takes no memory of its size: ${form}`, async () => {
      expect((await within(form, size, 64)).output).toEqual({ right: true })
    })
  }
})

describe('very many', () => {
  const uploads = sized(200, 1000)
  measured('uploads at once take two buffers each, and every byte arrives', async () => {
    expect((await within('many uploads at once', uploads, 64 + uploads * 0.75)).output).toEqual({ right: uploads })
  })

  const unfinished = sized(1000, 20_000)
  measured('unfinished uploads take no memory', async () => {
    expect((await within('uploads that never end', unfinished, 96, true)).output).toEqual({ listed: unfinished })
  })

  const keys = sized(2000, 100_000)
  measured('keys are listed page by page', async () => {
    expect((await within('list every key', keys, 96, true)).output).toEqual({ listed: keys, sorted: true })
  })

  const commits = sized(2000, 100_000)
  measured('commits are not kept for a follower that stalls', async () => {
    expect((await within('a follower that stalls', commits, 96, true)).output).toEqual({ missing: 0 })
  })

  const unread = sized(1000, 50_000)
  measured('unread objects hold neither files nor bytes', async () => {
    expect((await within('unread objects', unread, 64)).output).toEqual({ erased: true })
  })
})
