/** Bytes that a store has lost are never called erased by what copies it: archives, imports of them, and copies in directories. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { backUpStore } from '../backups/replicas.ts'
import { varve } from '../cli/run-main.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { exportArchive, exportStore, importStore, verifyArchive } from './archives.ts'

const scratch = scratchDirectory()
let dir: string
let file: string

/** What the lost bytes were: one of each is lost. */
const kinds = ['an object', 'a removed object', 'an object of parts', 'a part of an upload in progress'] as const

const large = (text: string) => Buffer.alloc(100_000, text)

beforeEach(() => {
  dir = scratch.next()
  file = `${scratch.next()}.varve`
})

/** A store that has lost the bytes of one kind, and has erased others. */
async function losing(kind: (typeof kinds)[number]): Promise<void> {
  const store = await openStore(dir, { retentionMs: 1_000_000_000 })
  await store.buckets.create('box')
  await store.objects.put('box', 'kept', large('kept'))
  await store.objects.put('box', 'erased', large('erased'))
  await store.erase({ bucket: 'box', key: 'erased', live: true })
  const before = new Set(await blobs())
  if (kind === 'an object' || kind === 'a removed object') await store.objects.put('box', 'lost', large('lost'))
  else {
    const upload = await store.uploads.create('box', 'lost')
    const part = await store.uploads.uploadPart(upload, 1, large('lost'))
    if (kind === 'an object of parts') await store.uploads.complete(upload, [part])
  }
  if (kind === 'a removed object') await store.objects.delete('box', 'lost')
  await store.close()
  const added = (await blobs()).filter((name) => !before.has(name))
  expect(added).toHaveLength(1)
  for (const name of added) await rm(name)
}

async function blobs(): Promise<readonly string[]> {
  const found = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

async function divergences(of: string): Promise<number> {
  const store = await openStore(of)
  const { divergences: found } = await store.verify()
  await store.close()
  return found.length
}

describe.each(kinds)('lost bytes of %s', (kind) => {
  it('are lost in the archive of the store, for who reads it, and in the store that is made of it', async () => {
    await losing(kind)
    const written = await exportStore(dir, file)
    expect(written).toMatchObject({ absent: 2, lost: 1 })
    expect(await verifyArchive(file)).toMatchObject({ absent: 2, lost: 1 })
    const again = scratch.next()
    expect(await importStore(file, again)).toMatchObject({ absent: 2, lost: 1 })
    expect(await divergences(again)).toBe(1)
    const store = await openStore(dir)
    expect(await exportStore(store, `${file}-open`)).toMatchObject({ absent: 2, lost: 1 })
    await store.close()
  }, 60_000)

  it('end the commands with status 4', async () => {
    await losing(kind)
    const commands = [
      ['export', dir, '--to', file],
      ['archive', 'verify', file],
      ['import', file, scratch.next()],
    ]
    for (const args of commands) {
      const { status, stdout, stderr } = await varve(args)
      expect([args[0], status, /1 contents are lost/.test(stdout + stderr)]).toEqual([args[0], 4, true])
    }
  }, 60_000)

  it('are missing in a copy of the directory, whose command ends with status 4', async () => {
    await losing(kind)
    expect(await backUpStore(dir, scratch.next())).toMatchObject({ absent: 1 })
    const { status, stdout } = await varve(['backup', scratch.next(), '--dir', dir])
    expect([status, stdout.includes('1 blobs are missing')]).toEqual([4, true])
  }, 60_000)
})

it('lost bytes of an object refuse the archive of its bucket', async () => {
  await losing('an object')
  const store = await openStore(dir)
  await expect(exportArchive(store, file, { bucket: 'box' })).rejects.toMatchObject({ code: 'BlobMissing' })
  await store.close()
})
