/** The audit example: it finds who deleted a folder, and puts it back. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStore } from 'varve'

const program = fileURLToPath(new URL('../../examples/audit/audit.mjs', import.meta.url))
let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'varve-audit-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const audit = async (...args: readonly string[]) =>
  (await promisify(execFile)(process.execPath, [program, dir, 'photos', '2026/', ...args])).stdout

it.each(['never set', 'Enabled'] as const)(
  'the audit example finds who deleted a folder, and puts it back: versioning %s',
  async (versioning) => {
    const store = await openStore(dir)
    await store.buckets.create('photos', versioning === 'Enabled' ? { versioning } : {})
    for (const key of ['2026/a', '2026/b', '2026/c', '2027/d']) await store.objects.put('photos', key, key)
    const bob = store.as({ by: { id: 'bob', name: 'Bob' } })
    for (const key of ['2026/a', '2026/b', '2027/d']) await bob.objects.delete('photos', key)
    await store.objects.put('photos', '2026/b', 'made again')
    await store.close()
    expect(await audit()).toMatch(/^\S+Z {2}Bob deleted 2: 2026\/a, 2026\/b\n$/)
    expect(await audit('undo')).toMatch(/\n1 are back\n$/)
    const again = await openStore(dir)
    expect(await (await again.objects.get('photos', '2026/a')).text()).toBe('2026/a')
    expect(await (await again.objects.get('photos', '2026/b')).text()).toBe('made again')
    await again.close()
  },
)
