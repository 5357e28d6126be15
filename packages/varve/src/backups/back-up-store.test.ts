import { mkdir, readdir, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { verifyStore } from '../maintenance/closed-stores.ts'
import { backUpStore, restoreStore } from './replicas.ts'

const scratch = scratchDirectory()
let dir: string
let to: string
let store: Store
const large = Buffer.alloc(2_000_000, 'large')

beforeEach(async () => {
  const home = scratch.next()
  await mkdir(home)
  ;[dir, to] = [join(home, 'data'), join(home, 'copy')]
  store = await openStore(dir, { retentionMs: 0, sweepEveryMs: 0 })
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.objects.put('box', 'small', 'small')
  await store.objects.put('box', 'large', large)
})

const textIn = async (path: string, key: string): Promise<string> => {
  const there = await openStore(path, { readOnly: true })
  try {
    return await (await there.objects.get('box', key)).text()
  } finally {
    await there.close()
  }
}

async function blobFiles(path: string): Promise<readonly { readonly ino: number; readonly nlink: number }[]> {
  const names = await readdir(join(path, 'blobs'), { recursive: true })
  const stats = await Promise.all(
    names.filter((name) => name.includes('/')).map((name) => stat(join(path, 'blobs', name))),
  )
  return stats.map(({ ino, nlink }) => ({ ino, nlink })).sort((a, b) => a.ino - b.ino)
}

describe('a copy of the directory of a store', () => {
  it('is made while the store is open, and gets what is new with the next call', async () => {
    const { seq } = store
    expect(await backUpStore(dir, to)).toMatchObject({ from: dir, to, head: seq, events: seq, blobs: 1, absent: 0 })
    await store.objects.put('box', 'small', 'newer')
    expect(await backUpStore(dir, to)).toMatchObject({ head: store.seq, events: 1, blobs: 0 })
    await store.close()
    expect(await backUpStore(dir, to)).toMatchObject({ events: 0 })
    expect([await textIn(to, 'small'), await textIn(to, 'large')]).toEqual(['newer', large.toString()])
    expect(await verifyStore(to)).toMatchObject({ ok: true, divergences: [] })
  })

  it('shares the files of blobs, if it may', async () => {
    await backUpStore(dir, to)
    expect(await blobFiles(to)).toEqual(await blobFiles(dir))
    await backUpStore(dir, `${to}2`, { link: false })
    expect((await blobFiles(`${to}2`)).map(({ nlink }) => nlink)).toEqual([1])
    await store.close()
  })

  it('keeps the bytes that the store erases later', async () => {
    await backUpStore(dir, to)
    const { versionId } = await store.objects.head('box', 'large')
    await store.objects.delete('box', 'large', { versionId: versionId as string })
    await store.sweep()
    await store.close()
    expect(await textIn(to, 'large')).toBe(large.toString())
  })

  it('has another layout, if one is given', async () => {
    await backUpStore(dir, to, { layout: 'segments+tiered' })
    await store.objects.put('box', 'more', large)
    expect(await backUpStore(dir, to)).toMatchObject({ events: 1, blobs: 1 })
    await store.close()
    expect(await textIn(to, 'more')).toBe(large.toString())
  })

  it('is opened to be read alone', async () => {
    await backUpStore(dir, to)
    await store.close()
    await expect(openStore(to)).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'copy', peer: dir } })
  })

  it('is refused in the directory of the store, and over another store', async () => {
    const link = `${dir} link`
    await symlink(dir, link)
    const before = await readdir(dir)
    for (const place of [dir, join(dir, 'copy'), join(dir, '..copy'), link, join(link, 'a', 'copy')])
      await expect(backUpStore(dir, place)).rejects.toMatchObject({ code: 'InvalidArgument' })
    await expect(backUpStore(link, join(dir, 'copy'))).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect(await readdir(dir)).toEqual(before)
    await expect(backUpStore(dir, join(dirname(dir), '..copy'))).resolves.toMatchObject({ absent: 0 })
    await (await openStore(to)).close()
    await expect(backUpStore(dir, to)).rejects.toMatchObject({ code: 'InvalidArgument' })
    await expect(backUpStore(`${dir} is none`, to)).rejects.toMatchObject({ code: 'StoreNotFound' })
    await store.close()
  })

  it('becomes a store again, as of its end or of a moment before', async () => {
    const then = store.seq - 1
    const { seq: end } = await store.objects.put('box', 'small', 'newer').then(() => store)
    await backUpStore(dir, to)
    await store.close()
    expect(await restoreStore(to, `${to} again`)).toMatchObject({ head: end + 1, events: end, absent: 0 })
    expect(await restoreStore(to, `${to} then`, { at: then })).toMatchObject({ head: then + 1, events: then, blobs: 0 })
    const again = await openStore(`${to} again`)
    const { versionId } = await again.objects.put('box', 'small', 'newest')
    // In an epoch of its own: the store can give out no such id.
    expect(versionId?.length).toBeGreaterThan(20)
    await again.close()
    expect(await textIn(`${to} then`, 'small')).toBe('small')
    await expect(restoreStore(to, `${to} never`, { at: end + 1 })).rejects.toMatchObject({ code: 'MomentOutOfRange' })
  })
})
