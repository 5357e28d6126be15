/** Directories that are imported: what is in them, and what they have that is no object. */
import { execFileSync } from 'node:child_process'
import { mkdir, open, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importFolder, memoryStore, openStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { ImportingStore } from './archived-store.ts'
import { folderEntries } from './folder-entries.ts'

const scratch = scratchDirectory()
let store: Store
let dir: string

beforeEach(async () => {
  store = await memoryStore()
  dir = scratch.next()
  await mkdir(join(dir, 'a/b'), { recursive: true })
  await mkdir(join(dir, 'empty'))
  await writeFile(join(dir, 'top.txt'), 'top')
  await writeFile(join(dir, 'a/b/deep 日本.txt'), 'deep')
  await writeFile(join(dir, 'a/large'), Buffer.alloc(2_000_000, 'x'))
  await writeFile(join(dir, 'a/none'), '')
})
afterEach(() => store.close())

async function sizes(prefix = ''): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for await (const entry of store.objects.list('files', { prefix }))
    if (entry.kind === 'object') found[entry.key] = entry.size
  return found
}

/** Overwrites a file with as many bytes once the first chunk of a large body came. */
async function* overwriting(body: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk
    if (chunk.length > 100_000) await writeFile(path, Buffer.alloc(2_000_000, 'y'), { flag: 'r+' })
  }
}

describe('a directory', () => {
  it('comes into a bucket with the paths of its files as keys', async () => {
    const result = await importFolder(store, dir, { bucket: 'files' })
    expect(result).toMatchObject({ created: true, stored: 4, bytes: 2_000_007, leftOut: 0, leftOutFiles: [] })
    expect(await sizes()).toEqual({ 'a/b/deep 日本.txt': 4, 'a/large': 2_000_000, 'a/none': 0, 'top.txt': 3 })
    expect(await (await store.objects.get('files', 'a/b/deep 日本.txt')).text()).toBe('deep')
  })

  it('comes beneath a prefix', async () => {
    await importFolder(store, dir, { bucket: 'files', prefix: 'in/' })
    expect(Object.keys(await sizes('in/a/'))).toEqual(['in/a/b/deep 日本.txt', 'in/a/large', 'in/a/none'])
  })

  it('is stored once, and what changed is a conflict', async () => {
    await importFolder(store, dir, { bucket: 'files' })
    await writeFile(join(dir, 'new'), 'new')
    expect(await importFolder(store, dir, { bucket: 'files' })).toMatchObject({ stored: 1, unchanged: 4 })
    await writeFile(join(dir, 'top.txt'), 'pot')
    await expect(importFolder(store, dir, { bucket: 'files' })).rejects.toMatchObject({ code: 'ImportConflict' })
    expect(await importFolder(store, dir, { bucket: 'files', onConflict: 'replace' })).toMatchObject({ stored: 1 })
    expect(await (await store.objects.get('files', 'top.txt')).text()).toBe('pot')
  })

  it.runIf(process.platform === 'linux')(
    'does not lead out of itself, and names what it has besides files',
    async () => {
      const outside = scratch.next()
      await writeFile(outside, 'secret')
      await symlink(outside, join(dir, 'a/link'))
      await symlink('..', join(dir, 'a/loop'))
      execFileSync('mkfifo', [join(dir, 'pipe')])
      await writeFile(Buffer.concat([Buffer.from(`${dir}/odd-`), Buffer.from([0xff])]), 'x')
      const long = join(dir, ...Array.from({ length: 5 }, () => 'n'.repeat(220)))
      await mkdir(long, { recursive: true })
      await writeFile(join(long, 'file'), 'x')
      const { leftOutFiles, leftOut, stored } = await importFolder(store, dir, { bucket: 'files' })
      expect({ leftOut, stored }).toEqual({ leftOut: 5, stored: 4 })
      const reasons = leftOutFiles.map(({ path, reason }) => `${reason} ${path.slice(0, 6)}`)
      expect(reasons.sort()).toEqual(['link a/link', 'link a/loop', 'name nnnnnn', 'name odd-�', 'special pipe'])
    },
  )

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'is imported without what cannot be read',
    async () => {
      await writeFile(join(dir, 'mine'), 'x', { mode: 0 })
      await mkdir(join(dir, 'locked'), { mode: 0 })
      const { leftOutFiles } = await importFolder(store, dir, { bucket: 'files' })
      expect(leftOutFiles.map(({ reason }) => reason)).toEqual(['unreadable', 'unreadable'])
    },
  )

  it('is imported without a store that is in it, and refused if it is one', async () => {
    const own = join(dir, 'a/data')
    await (await openStore(own)).close()
    await mkdir(join(dir, 'FORMAT'))
    const { leftOutFiles, stored } = await importFolder(store, dir, { bucket: 'files' })
    expect({ leftOutFiles, stored }).toEqual({ leftOutFiles: [{ path: 'a/data', reason: 'store' }], stored: 4 })
    await expect(importFolder(store, own, { bucket: 'files' })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })

  it('is refused if it is none', async () => {
    for (const path of [join(dir, 'absent'), join(dir, 'top.txt')]) {
      await expect(importFolder(store, path, { bucket: 'files' })).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
  })

  it('refuses a file that grows while it is read', async () => {
    const scan = { dir: join(dir, 'a/b'), prefix: '', onLeftOut: () => undefined }
    for await (const { read, close } of folderEntries(scan)) {
      await writeFile(join(dir, 'a/b/deep 日本.txt'), 'deeper')
      await expect(buffer(read())).rejects.toMatchObject({ code: 'IncompleteBody' })
      await close?.()
    }
  })

  it('refuses a file that is overwritten with as many bytes while it is read', async () => {
    const scan = { dir: join(dir, 'a'), prefix: '', onLeftOut: () => undefined }
    for await (const { key, read, close } of folderEntries(scan)) {
      if (key !== 'large') {
        await close?.()
        continue
      }
      const chunks = read()[Symbol.asyncIterator]()
      await chunks.next()
      const file = await open(join(dir, 'a/large'), 'r+')
      await file.write(Buffer.alloc(2_000_000, 'y'))
      await file.close()
      await expect(buffer({ [Symbol.asyncIterator]: () => chunks })).rejects.toMatchObject({ code: 'IncompleteBody' })
      await close?.()
    }
  })

  it('refuses a file that was overwritten before it is read again', async () => {
    const scan = { dir: join(dir, 'a/b'), prefix: '', onLeftOut: () => undefined }
    for await (const { read, close } of folderEntries(scan)) {
      await expect(buffer(read())).resolves.toEqual(Buffer.from('deep'))
      await utimes(join(dir, 'a/b/deep 日本.txt'), 1, 1)
      await expect(buffer(read())).rejects.toMatchObject({ code: 'IncompleteBody' })
      await close?.()
    }
  })

  it('stores nothing of a file that is overwritten while it is read', async () => {
    const { buckets, uploads, versions, objects } = store
    const watched: ImportingStore = {
      buckets,
      uploads,
      versions,
      objects: {
        head: objects.head.bind(objects),
        get: objects.get.bind(objects),
        delete: objects.delete.bind(objects),
        annotations: objects.annotations.bind(objects),
        put: (bucket, key, body, options) =>
          objects.put(bucket, key, overwriting(body as AsyncIterable<Uint8Array>, join(dir, 'a/large')), options),
      },
    }
    const imported = importFolder(watched as Store, dir, { bucket: 'files' })
    await expect(imported).rejects.toMatchObject({ code: 'IncompleteBody' })
    expect(Object.keys(await sizes())).not.toContain('a/large')
  })

  it('of many files is imported whole', async () => {
    await Promise.all(Array.from({ length: 3000 }, (_, i) => writeFile(join(dir, 'empty', `f${i}`), String(i))))
    expect(await importFolder(store, dir, { bucket: 'files' })).toMatchObject({ stored: 3004 })
    expect(await readdir(join(dir, 'empty'))).toHaveLength(Object.keys(await sizes('empty/')).length)
  })
})
