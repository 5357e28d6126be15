import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { blobStoreContract } from '@varve/core/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { createBlobDirectories } from '../../blobs/create-blob-directories.ts'
import { diskBlobs } from '../../blobs/disk-blobs.ts'
import { nodeFileSystem } from '../../files/node-file-system.ts'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import { DirectoryGuard, guardedBlobs } from './directory-guard.ts'
import { HeldDirectory } from './held-directory.ts'
import { lockFile, lockFileName } from './lock-file.ts'
import { openStoreDirectory, type StoreDirectory } from '../open-store-directory.ts'

const scratch = scratchDirectory()
const stores: StoreDirectory[] = []
afterEach(() => Promise.all(stores.splice(0).map((store) => store.close().catch(() => undefined))))

const blob = 'cc'.repeat(16)
const other = 'dd'.repeat(16)
async function* bytes() {
  yield Buffer.from('abc')
}
const moved = { code: 'BlobFailed', details: { kind: 'directory' } }
const commit = { expectedHead: 0, events: [], rows: [{ key: Uint8Array.of(0x90), value: Uint8Array.of(1) }] }

describe.each(['level+files', 'segments+tiered', 'lmdb+segments', 'sqlite+files'] as const)(
  'a %s store whose directory was renamed while it is open',
  (layout) => {
    it.each([
      ['gone', async () => undefined],
      ['taken by another directory', (path: string) => mkdir(path)],
    ])('takes no more writes once its old path is %s, and lost nothing', async (_, after) => {
      const path = scratch.next()
      const store = await openStoreDirectory(path, { layout })
      stores.push(store)
      await store.markReady()
      await store.blobs.write(blob, bytes())
      const elsewhere = scratch.next()
      await rename(path, elsewhere)
      await after(path)
      await delay(60)
      await expect(store.blobs.write(other, bytes())).rejects.toMatchObject(moved)
      await expect(store.journal.commit(commit)).rejects.toMatchObject(moved)
      await expect(store.blobs.delete([blob])).rejects.toMatchObject(moved)
      await store.close().catch(() => undefined)
      await rm(path, { recursive: true, force: true })
      const again = await openStoreDirectory(elsewhere, { check: 'none' })
      stores.push(again)
      const handle = await again.blobs.open(blob)
      expect(handle.size).toBe(3)
      await handle.close()
    })
  },
)

/** Of a directory that stays where it is. */
async function standing(): Promise<DirectoryGuard> {
  const path = scratch.next()
  await mkdir(path)
  return new DirectoryGuard(path, await nodeFileSystem.stat(path), { isInPlace: async () => true })
}

describe('guarded blobs', () => {
  const open = async (path: string) => guardedBlobs(await diskBlobs(path), await standing())
  const openFresh = async (path = scratch.next()) => {
    await mkdir(path).then(() => createBlobDirectories(path))
    return { instance: await open(path), reopen: () => open(path) }
  }
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})

describe('a blob that was written while another store took the path', () => {
  it('is not acknowledged, however short ago the directory was looked at', async () => {
    const [path, other] = [scratch.next(), scratch.next()]
    const made = await openStoreDirectory(other)
    await made.markReady()
    await made.close()
    const store = await openStoreDirectory(path)
    stores.push(store)
    await store.markReady()
    await store.blobs.write(blob, bytes())
    await rename(path, scratch.next())
    await rename(other, path)
    await expect(store.blobs.write('ee'.repeat(16), bytes())).rejects.toMatchObject(moved)
  })
})

describe('a blob that cannot be found', () => {
  it('is not missing when the directory moved', async () => {
    const path = scratch.next()
    const store = await openStoreDirectory(path)
    stores.push(store)
    await store.markReady()
    await expect(store.blobs.open(other)).rejects.toMatchObject({ code: 'BlobMissing' })
    await store.blobs.write(blob, bytes())
    await rename(path, scratch.next())
    await expect(store.blobs.open(blob)).rejects.toMatchObject(moved)
  })
})

describe.each(['level+files', 'segments+tiered'] as const)('a %s store whose lock file is removed', (layout) => {
  it.each([
    ['and no other process opens it', async () => undefined],
    [
      'and another took the directory and left it',
      async (path: string) => {
        const held = await HeldDirectory.take(path, await nodeFileSystem.stat(path), {
          lock: { file: lockFile, name: async () => ({ release: async () => undefined }) },
        })
        await held.release()
      },
    ],
  ])('writes nothing more, %s', async (_, after) => {
    const path = scratch.next()
    const store = await openStoreDirectory(path, { layout })
    stores.push(store)
    await store.markReady()
    store.markSound()
    await store.blobs.write(blob, bytes())
    await rm(join(path, lockFileName))
    await after(path)
    await delay(60)
    const before = await filesOf(path)
    const unlocked = { code: 'BlobFailed', details: { kind: 'lock' } }
    await expect(store.blobs.delete([blob])).rejects.toMatchObject(unlocked)
    await expect(store.journal.commit(commit)).rejects.toMatchObject(unlocked)
    await expect(store.witness.write({ seq: 1, hash: 'ab'.repeat(32) })).rejects.toMatchObject(unlocked)
    await expect(store.time.write({ wall: 1, believed: 1, log: 1 } as never)).rejects.toMatchObject(unlocked)
    await store.close()
    expect(await filesOf(path)).toEqual(before)
    await expect(store.blobs.write(other, bytes())).rejects.toMatchObject({ code: 'BlobFailed' })
  })
})

/** All files of the store except the database's and the indexes of segments, which only repeat what is in a segment. */
async function filesOf(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true })
  return names.filter((name) => !name.startsWith('events') && !name.endsWith('.index')).sort()
}
