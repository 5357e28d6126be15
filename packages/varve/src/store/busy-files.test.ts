import { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { createKeyringFile } from '../keyring/keyring-file.ts'
import { openStore } from './open-store.ts'

/** Each call with other arguments fails for the first 50 ms in which it is tried. */
const busy = { code: '', since: new Map<string, number>(), failed: new Set<string>() }

const names = ['open', 'rename', 'rm', 'unlink'] as const
type Call = (...args: unknown[]) => Promise<unknown>
const real = { ...promises }

const failing =
  (name: (typeof names)[number]): Call =>
  (...args) => {
    const key = `${name} ${JSON.stringify(args)}`
    const first = busy.since.get(key) ?? performance.now()
    busy.since.set(key, first)
    if (busy.code === '' || performance.now() - first >= 50) return (real[name] as Call)(...args)
    busy.failed.add(name)
    return Promise.reject(Object.assign(new Error(`${busy.code}: busy`), { code: busy.code }))
  }

beforeAll(() => {
  Object.assign(promises, Object.fromEntries(names.map((name) => [name, failing(name)])))
  syncBuiltinESMExports()
})
afterAll(() => {
  Object.assign(promises, real)
  syncBuiltinESMExports()
})

const scratch = scratchDirectory()
let dir: string

afterEach(() => {
  busy.code = ''
})

beforeEach(() => {
  busy.since.clear()
  busy.failed.clear()
  dir = scratch.next()
})

it.each([
  ['EPERM', 'level+files'],
  ['EBUSY', 'segments+tiered'],
  ['EACCES', 'sqlite+segments'],
] as const)(
  'a store is made, written, closed and opened while all files are busy: %s, %s',
  async (code, layout) => {
    busy.code = code
    for (const content of ['first', 'second']) {
      const store = await openStore(dir, { layout })
      if (content === 'first') await store.buckets.create('box')
      await store.objects.put('box', 'key', Buffer.alloc(100_000, content))
      await store.objects.delete('box', 'key')
      await store.close()
    }
    expect([...busy.failed]).toEqual(expect.arrayContaining(['open', 'rename']))
  },
  60_000,
)

it('a keyring is created while all files are busy', async () => {
  await promises.mkdir(dir)
  busy.code = 'EACCES'
  await createKeyringFile(join(dir, 'keyring.json'), { id: 'one' } as never)
  expect(busy.failed).toContain('open')
})
