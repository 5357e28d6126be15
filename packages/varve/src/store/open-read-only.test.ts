import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { layouts } from '@varve/adapters'
import { isStorageError } from '@varve/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openStore, verifyStore } from '../index.ts'
import { everyRead, everyWrite, livedIn, treeOf } from './open-read-only.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const run = promisify(execFile)
const readOnly = { readOnly: true } as const
/** Where copies are made, for a test alone. */
async function ownTemporary(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  vi.stubEnv('TMPDIR', path)
  return path
}

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Files that are about to be renamed vanish while a directory is copied. */
/** A socket cannot be copied. */
const isLasting = (path: string): boolean => !path.endsWith('.tmp') && !path.endsWith('/control')

describe.each(layouts)('a store of layout $name that is open to be read alone', ({ name: layout }) => {
  it.each(['closed', 'killed'])('answers every read, refuses every write and stays untouched (%s)', async (end) => {
    const [lived, dir] = [scratch.next(), scratch.next()]
    const owner = await livedIn(lived, layout)
    const expected = await everyRead(owner)
    // What a kill leaves is what is there while the store is open.
    if (end === 'killed') await cp(lived, dir, { recursive: true, filter: isLasting })
    await owner.close()
    // A copy, since SQLite removes its own leftovers of a closed database only when the garbage of its process is collected.
    if (end === 'closed') await cp(lived, dir, { recursive: true })
    const temporary = await ownTemporary()
    const before = await treeOf(dir)

    const store = await openStore(dir, readOnly)
    expect(await everyRead(store)).toEqual(expected)
    const [{ uploadId }] = expected['uploads'] as [{ uploadId: string }]
    for (const [call, write] of Object.entries(everyWrite(store, uploadId))) {
      await expect(write(), call).rejects.toMatchObject({ code: 'ReadOnly' })
    }
    expect(await store.objects.deleteMany('box', [{ key: 'small' }])).toMatchObject([{ error: { code: 'ReadOnly' } }])
    expect(await everyRead(store)).toEqual(expected)
    const other = await openStore(dir, readOnly)
    expect(other.seq).toBe(store.seq)
    await Promise.all([store.close(), store.close(), other.close()])
    // A kill may come while the witness is written.
    expect(await verifyStore(dir, readOnly)).toMatchObject({ ok: true })

    expect(await treeOf(dir)).toEqual(before)
    expect(await readdir(temporary)).toEqual([])
    // And it is as good as before.
    const again = await openStore(dir, { create: false })
    expect(again.seq).toBe(expected['seq'])
    await again.close()
  })
})

const kindOf = (error: unknown): string =>
  isStorageError(error) ? `${error.code} ${String(error.details['kind'])}` : String(error)

describe('opening to read alone', () => {
  it('makes nothing where there is no store, and leaves what it refuses as it is', async () => {
    const [absent, empty, foreign] = [scratch.next(), scratch.next(), scratch.next()]
    for (const dir of [empty, foreign]) await mkdir(dir)
    await writeFile(join(foreign, 'letter.txt'), 'dear reader')
    const temporary = await ownTemporary()
    const refusals = [
      [absent, 'missing'],
      [empty, 'missing'],
      [foreign, 'foreign'],
    ] as const
    for (const [dir, kind] of refusals) {
      await expect(openStore(dir, readOnly)).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind } })
    }
    await expect(readdir(absent)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await readdir(empty)).toEqual([])
    expect(await readdir(temporary)).toEqual([])
  })

  it('refuses options that only an owner can have, and another layout', async () => {
    const dir = scratch.next()
    await (await openStore(dir)).close()
    for (const options of [{ create: true }, { scrub: {} }, { readOnly: 'yes' as unknown as true }]) {
      await expect(openStore(dir, { ...readOnly, ...options })).rejects.toMatchObject({
        code: 'InvalidArgument',
      })
    }
    await expect(openStore(dir, { ...readOnly, layout: 'sqlite+files' })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
  })

  it('reads what an owner has written that writes all the while', async () => {
    const dir = scratch.next()
    const owner = await openStore(dir)
    await owner.buckets.create('box')
    let acknowledged = 0
    let writing = true
    const busy = (async () => {
      for (let i = 1; writing; i++) {
        await owner.objects.put('box', `k${i}`, `body ${i}`)
        acknowledged = i
      }
    })()
    for (let looks = 0; looks < 5; looks++) {
      const before = acknowledged
      const reader = await openStore(dir, readOnly)
      const after = acknowledged
      let [count, last] = [0, '']
      for await (const listed of reader.objects.list('box')) if (listed.kind === 'object') count++
      if (count > 0) last = await (await reader.objects.get('box', `k${count}`)).text()
      expect(count).toBeGreaterThanOrEqual(before)
      expect(count).toBeLessThanOrEqual(after + 1)
      expect(last).toBe(count > 0 ? `body ${count}` : '')
      await reader.close()
    }
    writing = false
    await busy
    await owner.close()
  })

  it.each(['segments+tiered', 'lmdb+files', 'sqlite+files'] as const)(
    'works beside an owner that pauses, and refuses one that writes all the while (%s)',
    async (layout) => {
      const dir = scratch.next()
      const owner = await openStore(dir, { layout })
      await owner.buckets.create('box')
      await owner.objects.put('box', 'a', 'first')
      const reader = await openStore(dir, readOnly)
      expect(await (await reader.objects.get('box', 'a')).text()).toBe('first')
      await owner.objects.put('box', 'a', 'second')
      expect(await (await reader.objects.get('box', 'a')).text()).toBe('first')
      await reader.close()

      let writing = true
      const busy = (async () => {
        for (let i = 0; writing; i++) {
          await owner.objects.put('box', `k${i}`, 'body')
          await delay(5)
        }
      })()
      // On a busy machine the owner may pause for long enough.
      const outcome = () => openStore(dir, readOnly).then((store) => store.close(), kindOf)
      await expect.poll(outcome).toBe('StoreLocked changing')
      writing = false
      await busy
      await owner.close()
      const last = await openStore(dir, readOnly)
      expect(last.seq).toBe(owner.seq)
      await last.close()
    },
  )

  it('finds damage before it opens anything, and leaves no copy', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await store.buckets.create('box')
    await store.close()
    const temporary = await ownTemporary()
    const manifest = (await readdir(join(dir, 'events'))).find((name) => name.startsWith('MANIFEST')) as string
    await writeFile(join(dir, 'events', manifest), 'damaged')
    await expect(openStore(dir, readOnly)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'files' } })
    expect(await readdir(temporary)).toEqual([])
  })

  it('makes no secret and no keyring', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await store.buckets.create('box')
    await store.uploads.create('box', 'unfinished')
    await store.close()
    await rm(join(dir, 'secret.json'))
    const names = await readdir(dir)
    const reader = await openStore(dir, { ...readOnly, keyring: 'own' })
    const [upload] = (await reader.uploads.listPage('box')).entries
    expect(upload).toMatchObject({ key: 'unfinished' })
    await reader.close()
    expect(await readdir(dir)).toEqual(names)
  })

  it('works where the system allows no writing', async (context) => {
    const [dir, mounted] = [scratch.next(), scratch.next()]
    const owner = await livedIn(dir, 'level+tiered')
    const expected = await everyRead(owner)
    await owner.close()
    await mkdir(mounted)
    try {
      await run('mount', ['--bind', dir, mounted])
    } catch (error) {
      return context.skip(`No mount here: ${String(error).split('\n')[1]}`)
    }
    try {
      await run('mount', ['-o', 'remount,bind,ro', mounted])
      await expect(writeFile(join(mounted, 'new'), '')).rejects.toMatchObject({ code: 'EROFS' })
      const before = await treeOf(mounted)
      const store = await openStore(mounted, readOnly)
      expect(await everyRead(store)).toEqual(expected)
      await store.close()
      expect(await verifyStore(mounted, readOnly)).toMatchObject({ ok: true })
      expect(await treeOf(mounted)).toEqual(before)
    } finally {
      await run('umount', [mounted])
    }
  })
})

it('keeps copies from others', async () => {
  const dir = scratch.next()
  await (await openStore(dir)).close()
  await ownTemporary()
  const store = await openStore(dir, readOnly)
  const [copy] = await readdir(tmpdir(), { withFileTypes: true })
  expect(copy?.isDirectory()).toBe(true)
  expect((await stat(join(tmpdir(), copy?.name ?? ''))).mode & 0o777).toBe(0o700)
  await store.close()
})
