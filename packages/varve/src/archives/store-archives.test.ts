/** Archives of whole stores: what comes back, what is refused, and what goes on after it was cut. */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { isStorageError, type RecordedEvent, type Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKeyring } from '../keyring/create-keyring.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { memoryStore } from '../store/memory-store.ts'
import { openStore } from '../store/open-store.ts'
import { exportStore, importArchive, importStore, verifyArchive } from './archives.ts'

const scratch = scratchDirectory()
const keyring = createKeyring({ master: [Buffer.alloc(32, 1).toString('base64')] })
const long = 'longer than what is inline. '.repeat(10)

let store: Store
let path: string

beforeEach(async () => {
  path = `${scratch.next()}.varve`
  store = await openStore(scratch.next(), { keyring, inlineMax: 64, retentionMs: 1_000_000 })
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.buckets.create('plain')
  await store.buckets.settings.put('box', 'Tags', [{ key: 'team', value: 'blue' }])
  await store.objects.put('box', 'a', 'short')
  await store.objects.put('box', 'a', long)
  await store.objects.put('box', 'sealed', long, { encryption: { mode: 'AES256' } })
  await store.objects.put('box', 'sealed-short', 'secret', { encryption: { mode: 'AES256' } })
  await store.objects.copy({ bucket: 'box', key: 'a' }, 'plain', 'copy')
  const upload = await store.uploads.create('plain', 'parts')
  await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, 'a part '.repeat(20))])
  await store.objects.delete('box', 'a')
  await store.snapshots.create('before')
  await store.objects.put('plain', 'later', 'later bytes '.repeat(20))
})
afterEach(() => store.close())

/** Closed when the test has ended. */
const kept: { close(): Promise<void> }[] = []
function closing<S extends { close(): Promise<void> }>(opened: S): S {
  kept.push(opened)
  return opened
}
afterEach(async () => {
  for (const opened of kept.splice(0)) await opened.close()
})

const open = (dir: string) => openStore(dir, { keyring, inlineMax: 64, retentionMs: 1_000_000 })
const eventsOf = async (of: Store, to: number) => {
  const events: RecordedEvent[] = []
  for await (const event of of.log({ to })) events.push(event)
  return events
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: unknown) => (isStorageError(error) ? `${error.code} ${String(error.details['kind'] ?? '')}`.trim() : error),
  )
const textOf = async (of: Store, bucket: string, key: string) => (await of.objects.get(bucket, key)).text()

describe('the archive of a store', () => {
  it('comes back as the same store: the same log, version ids and bytes, and another epoch', async () => {
    const written = await exportStore(store, path)
    expect(written).toMatchObject({ seq: store.seq, events: store.seq, absent: 0 })
    const dir = scratch.next()
    const imported = await importStore(path, dir)
    expect(imported).toMatchObject({ head: store.seq + 1, events: store.seq, blobs: written.blobs, absent: 0 })
    const again = closing(await open(dir))
    expect(await eventsOf(again, store.seq)).toEqual(await eventsOf(store, store.seq))
    expect((await eventsOf(again, again.seq)).at(-1)?.type).toBe('EpochBegun')
    expect(await textOf(again, 'box', 'sealed')).toBe(long)
    expect(await textOf(again, 'box', 'sealed-short')).toBe('secret')
    expect(await textOf(again, 'plain', 'copy')).toBe(long)
    expect(await textOf(again, 'plain', 'parts')).toBe('a part '.repeat(20))
    expect(await again.buckets.settings.get('box', 'Tags')).toEqual([{ key: 'team', value: 'blue' }])
    const ids = async (of: Store) => (await of.versions.listPage('box')).entries
    expect(await ids(again)).toEqual(await ids(store))
    expect((await again.verify()).divergences).toEqual([])
  })

  it('is the same bytes for the same state, also from a directory that is open', async () => {
    const { sha256 } = await exportStore(store, path)
    const other = await exportStore(store.dir ?? '', `${path}-2`)
    expect(other.sha256).toBe(sha256)
    expect(await readFile(`${path}-2`)).toEqual(await readFile(path))
    expect(await verifyArchive(path)).toMatchObject({ contents: 'store', seq: store.seq, events: store.seq, sha256 })
  })

  it('is a tar file that ordinary tools open', async () => {
    await exportStore(store, path)
    const { stdout } = await promisify(execFile)('tar', ['tf', path])
    const names = stdout.trim().split('\n')
    expect(names[0]).toBe('varve-archive.json')
    expect(names[1]).toBe('log/0/0000000000000001-00000001')
    expect(names.filter((name) => name.startsWith('blobs/'))).toHaveLength(4)
    expect(names.at(-1)).toBe('end.json')
  })

  it('can end at a moment, and come back as of one: a position, a time, a snapshot', async () => {
    const { seq } = await store.at('before')
    expect(await exportStore(store, path, { at: 'before' })).toMatchObject({ seq, events: seq })
    await exportStore(store, `${path}-2`)
    for (const at of [seq, 'before']) {
      const dir = scratch.next()
      expect(await importStore(`${path}-2`, dir, { at })).toMatchObject({ head: seq + 1, events: seq })
      const again = closing(await open(dir))
      expect(await again.objects.exists('plain', 'later')).toBe(false)
      expect(await again.objects.exists('plain', 'copy')).toBe(true)
      expect((await again.sweep({ orphans: true })).orphans).toBe(0)
    }
    expect(await codeOf(importStore(path, scratch.next(), { at: seq + 5 }))).toBe('MomentOutOfRange')
    expect(await codeOf(importStore(path, scratch.next(), { at: 'none' }))).toBe('NoSuchSnapshot')
    expect(await codeOf(exportStore(store, `${path}-3`, { at: new Date(0) }))).toBe('MomentOutOfRange')
  })

  it('goes on where it was cut, and cannot be opened before', async () => {
    const puts = Array.from({ length: 700 }, (_, i) => store.objects.put('plain', `k${i}`, i % 50 === 0 ? long : 'x'))
    await Promise.all(puts)
    await exportStore(store, path)
    const dir = scratch.next()
    const cut = new AbortController()
    const onProgress = ({ done }: { readonly done: number }) => {
      if (done >= 500) cut.abort(new Error('cut'))
    }
    await expect(importStore(path, dir, { signal: cut.signal, onProgress })).rejects.toThrow('cut')
    await expect(openStore(dir)).rejects.toThrow()
    const rest = await importStore(path, dir, { verify: false })
    expect(rest.events).toBeLessThan(store.seq)
    const again = closing(await open(dir))
    expect(again.seq).toBe(store.seq + 1)
    expect((await again.verify()).divergences).toEqual([])
  })

  it('says what was erased before', async () => {
    await store.objects.put('plain', 'secret', 'short', { encryption: { mode: 'AES256' } })
    for (const key of ['later', 'secret']) await store.erase({ bucket: 'plain', key, live: true })
    // The blob, a row with short bytes, and a row with their data key.
    const { absent } = await exportStore(store, path)
    expect(absent).toBe(3)
    expect(await verifyArchive(path)).toMatchObject({ absent: 3, lost: 0 })
    expect(await importStore(path, scratch.next())).toMatchObject({ absent: 3, lost: 0 })
  })

  it('knows what was erased behind its moment, and behind the moment that is imported', async () => {
    const at = store.seq
    await store.erase({ bucket: 'plain', key: 'later', live: true })
    expect(await exportStore(store, path, { at })).toMatchObject({ absent: 1, lost: 0 })
    expect(await verifyArchive(path)).toMatchObject({ absent: 1, lost: 0 })
    await exportStore(store, `${path}-2`)
    for (const [from, options] of [
      [path, {}],
      [path, { verify: false }],
      [`${path}-2`, { at }],
    ] as const) {
      const dir = scratch.next()
      expect(await importStore(from, dir, options)).toMatchObject({ absent: 1, lost: 0 })
      const again = closing(await open(dir))
      expect(await codeOf(again.objects.get('plain', 'later'))).toContain('ObjectErased')
      expect((await again.verify()).divergences).toEqual([])
    }
  })

  it('is refused where there is another store, a file, or nothing to export', async () => {
    await exportStore(store, path)
    expect(await codeOf(exportStore(store, path))).toBe('InvalidArgument')
    expect(await codeOf(importStore(path, store.dir ?? ''))).toBe('StoreLocked')
    const dir = scratch.next()
    await (await openStore(dir)).close()
    expect(await codeOf(importStore(path, dir))).not.toBe('no error')
    expect(await codeOf(exportStore(`${dir}-none`, `${path}-2`))).toBe('StoreNotFound missing')
    const into = closing(await memoryStore())
    expect(await codeOf(importArchive(into, path))).toBe('InvalidArgument store')
  })
})

describe('a damaged archive of a store', () => {
  it('is refused by verify and by import, wherever a byte is changed or missing', async () => {
    await exportStore(store, path)
    const whole = await readFile(path)
    const dir = scratch.next()
    const faults = new Set<unknown>()
    const step = Math.ceil(whole.length / 60)
    for (let at = 7; at < whole.length - 1024; at += step) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] as number) ^ 0x41
      await writeFile(path, bytes)
      const code = await codeOf(verifyArchive(path))
      expect([at, code]).toEqual([at, expect.stringMatching(/^ArchiveCorrupt|^UnsupportedFormat/)])
      faults.add(code)
      if (at % 5 === 0) expect(await codeOf(importStore(path, dir))).toBe(code)
    }
    for (const size of [0, 600, whole.length >> 1, whole.length - 1024, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, size))
      expect(await codeOf(verifyArchive(path))).toMatch(/^ArchiveCorrupt/)
    }
    expect(faults.size).toBeGreaterThan(2)
    await expect(readFile(`${dir}/format.json`)).rejects.toThrow()
    await rm(path)
  })
})
