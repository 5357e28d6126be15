/** Archives of buckets: out of a store, and into one. */
import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { exportArchive, importArchive, verifyArchive } from './archives.ts'
import type { ImportProgress } from './import-entry.ts'

const scratch = scratchDirectory()
const large = Uint8Array.from({ length: 1_500_000 }, (_, i) => (i * 7) % 251)
let source: Store
let target: Store
let dir: string
let path: string

beforeEach(async () => {
  source = await memoryStore()
  target = await memoryStore()
  await source.buckets.create('photos')
  dir = scratch.next()
  await mkdir(dir)
  path = join(dir, 'photos.varve')
})
afterEach(async () => {
  await source.close()
  await target.close()
})

async function contents(store: Store, bucket: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const entry of store.objects.list(bucket)) {
    if (entry.kind === 'object')
      found[entry.key] = Buffer.from(await (await store.objects.get(bucket, entry.key)).bytes()).toString('latin1')
  }
  return found
}

/** Kinds and texts of all versions of a key, the oldest first. */
async function versionsOf(store: Store, bucket: string, key: string): Promise<string[]> {
  const found: string[] = []
  for await (const entry of store.versions.list(bucket, { prefix: key })) {
    if (entry.kind === 'prefix' || entry.key !== key) continue
    const text =
      entry.kind === 'marker' ? '(deleted)' : await (await store.versions.get(bucket, key, entry.versionId)).text()
    found.unshift(text)
  }
  return found
}

/** The versions and the delete markers of a bucket. */
async function countOf(store: Store, bucket: string): Promise<{ readonly stored: number; readonly markers: number }> {
  const kinds: string[] = []
  for await (const { kind } of store.versions.list(bucket)) kinds.push(kind)
  const markers = kinds.filter((kind) => kind === 'marker').length
  return { stored: kinds.length - markers, markers }
}

/** What an import of the history below still has to do. */
const restOf = ({ stored, markers }: Awaited<ReturnType<typeof countOf>>) => ({
  stored: 6 - stored,
  markers: 2 - markers,
  unchanged: stored + markers,
})

/** Keys that no file system has as they are, and that lie in each other's way. */
const hardKeys = [
  'a',
  'a/',
  'a/b',
  'a//b',
  'a-b',
  'a.b',
  'a/b/c',
  '../x',
  '/etc/passwd',
  '.',
  'con.txt',
  'a\u0000b',
  'dot.',
]
const moreKeys = [
  '100%',
  '100%25',
  'back\\slash',
  'ü/日本',
  `${'long'.repeat(200)}/x`,
  `${'😀'.repeat(250)}`,
  'trailing ',
  '-rf',
]

describe('an archive of a bucket', () => {
  it('gives back every object with its bytes, headers, metadata and tags', async () => {
    await source.objects.put('photos', 'cat.jpg', 'meow', {
      contentType: 'image/jpeg',
      cacheControl: 'no-cache',
      metadata: { place: 'Köln', 'x-y': '' },
      tags: [{ key: 'a', value: 'b' }],
      storageClass: 'STANDARD_IA',
    })
    await source.objects.put('photos', 'large', large)
    await source.objects.put('photos', 'empty', '')
    const written = await exportArchive(source, path, { bucket: 'photos' })
    expect(written).toMatchObject({ objects: 3, markers: 0, absent: 0, bytes: large.length + 4 })
    const result = await importArchive(target, path)
    expect(result).toMatchObject({ bucket: 'photos', created: true, stored: 3, unchanged: 0, bytes: large.length + 4 })
    const { versionId: _v, seq: _s, lastModified: _t, ...cat } = await source.objects.head('photos', 'cat.jpg')
    expect(await target.objects.head('photos', 'cat.jpg')).toMatchObject(cat)
    expect((await target.objects.annotations('photos', 'cat.jpg')).tags).toEqual([{ key: 'a', value: 'b' }])
    expect(Buffer.from(large).equals(await (await target.objects.get('photos', 'large')).bytes())).toBe(true)
    expect(await (await target.objects.get('photos', 'empty')).text()).toBe('')
  })

  it('keeps every key, also those that no file system has', async () => {
    for (const key of [...hardKeys, ...moreKeys]) await source.objects.put('photos', key, `text of ${key}`)
    await exportArchive(source, path, { bucket: 'photos' })
    await importArchive(target, path, { bucket: 'other' })
    expect(await contents(target, 'other')).toEqual(await contents(source, 'photos'))
  })

  it('is listed and extracted by tar, with nothing outside of its directory', async () => {
    const keys = [...hardKeys, ...moreKeys]
    for (const key of keys) await source.objects.put('photos', key, `text of ${key}`)
    await exportArchive(source, path, { bucket: 'photos' })
    const out = join(dir, 'out')
    await mkdir(out)
    execFileSync('tar', ['xf', path, '-C', out])
    const members = execFileSync('tar', ['tf', path], { encoding: 'utf8' }).trim().split('\n')
    expect(members[0]).toBe('varve-archive.json')
    expect(members.at(-1)).toBe('end.json')
    expect(await readdir(out)).toEqual(['bucket.json', 'end.json', 'metadata', 'objects', 'varve-archive.json'])
    const files = await readdir(join(out, 'objects'), { recursive: true, withFileTypes: true })
    expect(files.filter((file) => file.isFile())).toHaveLength(keys.length)
    expect(await readFile(join(out, 'objects/a/b'), 'utf8').catch(() => 'moved')).toBe('moved')
    expect(await readFile(join(out, 'objects/a%d/b'), 'utf8')).toBe('text of a/b')
    expect(await readFile(join(out, 'objects/ü/日本'), 'utf8')).toBe('text of ü/日本')
  })

  it('is the same bytes for the same state', async () => {
    await source.objects.put('photos', 'a', 'one')
    await exportArchive(source, path, { bucket: 'photos' })
    await exportArchive(source, `${path}.2`, { bucket: 'photos' })
    expect(await readFile(path)).toEqual(await readFile(`${path}.2`))
  })

  it('shows the bucket as it was at a moment', async () => {
    const { seq } = await source.objects.put('photos', 'a', 'one')
    await source.objects.put('photos', 'a', 'two')
    await source.objects.put('photos', 'b', 'later')
    await exportArchive(source, path, { bucket: 'photos', at: seq })
    await importArchive(target, path)
    expect(await contents(target, 'photos')).toEqual({ a: 'one' })
  })

  it('goes through streams', async () => {
    await source.objects.put('photos', 'large', large)
    const stream = new PassThrough()
    const bytes = buffer(stream)
    const { size } = await exportArchive(source, stream, { bucket: 'photos' })
    stream.end()
    expect((await bytes).length).toBe(size)
    await writeFile(path, await bytes)
    await importArchive(target, createReadStream(path))
    expect(Buffer.from(large).equals(await (await target.objects.get('photos', 'large')).bytes())).toBe(true)
  })

  it('ends with an error when its stream is closed, and with the one of the stream', async () => {
    await source.objects.put('photos', 'large', Buffer.alloc(5_000_000))
    const closed = new PassThrough({ highWaterMark: 1000 })
    closed.once('data', () => closed.destroy())
    await expect(exportArchive(source, closed, { bucket: 'photos' })).rejects.toMatchObject({ code: 'IncompleteBody' })
    const broken = new PassThrough({ highWaterMark: 1000 })
    broken.once('data', () => broken.destroy(new Error('no room')))
    await expect(exportArchive(source, broken, { bucket: 'photos' })).rejects.toThrow('no room')
  })

  it('does not overwrite a file, unless it is to', async () => {
    await writeFile(path, 'mine')
    await expect(exportArchive(source, path, { bucket: 'photos' })).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect(await readFile(path, 'utf8')).toBe('mine')
    await exportArchive(source, path, { bucket: 'photos', overwrite: true })
    await expect(verifyArchive(path)).resolves.toMatchObject({ objects: 0, bucket: { name: 'photos' } })
  })

  it('overwrites no file that another export has written meanwhile', async () => {
    await source.objects.put('photos', 'a', 'one')
    const both = await Promise.allSettled([1, 2].map(() => exportArchive(source, path, { bucket: 'photos' })))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [failed] = both.filter((each) => each.status === 'rejected')
    expect(failed?.reason).toMatchObject({ code: 'InvalidArgument', details: { ArgumentName: 'to' } })
    expect(await readdir(dir)).toEqual(['photos.varve'])
    await verifyArchive(path)
  })

  it('replaces nothing but a file', async () => {
    const [folder, pipe, link] = ['folder', 'pipe', 'link'].map((name) => join(dir, name)) as [string, string, string]
    await mkdir(folder)
    execFileSync('mkfifo', [pipe])
    await symlink(join(dir, 'missing'), link)
    for (const to of [folder, pipe])
      await expect(exportArchive(source, to, { bucket: 'photos', overwrite: true })).rejects.toMatchObject({
        code: 'InvalidArgument',
        details: { ArgumentName: 'to' },
      })
    await expect(exportArchive(source, link, { bucket: 'photos' })).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect((await readdir(dir)).sort()).toEqual(['folder', 'link', 'pipe'])
    expect([(await stat(folder)).isDirectory(), (await stat(pipe)).isFIFO()]).toEqual([true, true])
  })

  it('leaves no file when it fails', async () => {
    await expect(exportArchive(source, path, { bucket: 'absent' })).rejects.toMatchObject({ code: 'NoSuchBucket' })
    await source.objects.put('photos', 'a', 'one')
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(exportArchive(source, path, { bucket: 'photos', signal })).rejects.toThrow('stopped')
    expect(await readdir(dir)).toEqual([])
  })

  it('takes the settings of the bucket along, and its policy only if asked', async () => {
    await source.buckets.setVersioning('photos', 'Enabled')
    await source.buckets.settings.put('photos', 'Tags', [{ key: 'team', value: 'x' }])
    await source.buckets.settings.put('photos', 'Policy', '{"Version":"2012-10-17","Statement":[]}')
    await exportArchive(source, path, { bucket: 'photos' })
    await importArchive(target, path)
    await importArchive(target, path, { bucket: 'whole', withAccess: true })
    expect(await target.buckets.settings.all('photos')).toEqual({ Tags: [{ key: 'team', value: 'x' }] })
    expect(await target.buckets.getVersioning('photos')).toBe('Enabled')
    expect(await target.buckets.settings.get('whole', 'Policy')).toContain('2012-10-17')
  })

  it('names objects whose bytes it cannot have, and leaves them out of an import', async () => {
    await source.objects.put('photos', 'secret', 'x', { encryption: { mode: 'SSE-C', key: new Uint8Array(32) } })
    await source.objects.put('photos', 'plain', 'y')
    expect(await exportArchive(source, path, { bucket: 'photos' })).toMatchObject({ objects: 2, absent: 1 })
    expect(await importArchive(target, path)).toMatchObject({ stored: 1, absent: 1 })
    expect(await contents(target, 'photos')).toEqual({ plain: 'y' })
  })
})

describe('an import', () => {
  beforeEach(async () => {
    for (const key of ['a', 'b', 'c']) await source.objects.put('photos', key, `text of ${key}`)
    await source.objects.put('photos', 'large', large)
    await exportArchive(source, path, { bucket: 'photos' })
  })

  it('stores nothing twice', async () => {
    await importArchive(target, path)
    const { seq } = target
    expect(await importArchive(target, path)).toMatchObject({ stored: 0, unchanged: 4, created: false })
    expect(target.seq).toBe(seq)
  })

  it('goes on where it was cut', async () => {
    const bytes = await readFile(path)
    async function* cut() {
      yield bytes.subarray(0, bytes.length - 900_000)
      throw new Error('the cable was pulled')
    }
    await expect(importArchive(target, cut())).rejects.toThrow('the cable was pulled')
    expect(Object.keys(await contents(target, 'photos'))).toEqual(['a', 'b', 'c'])
    expect(await importArchive(target, path)).toMatchObject({ stored: 1, unchanged: 3 })
    expect(await contents(target, 'photos')).toEqual(await contents(source, 'photos'))
  })

  it('overwrites nothing, unless it is to', async () => {
    await target.buckets.create('photos')
    await target.objects.put('photos', 'b', 'mine')
    await expect(importArchive(target, path)).rejects.toMatchObject({
      code: 'ImportConflict',
      details: { bucket: 'photos', key: 'b' },
    })
    expect(await importArchive(target, path, { onConflict: 'skip' })).toMatchObject({ skipped: 1 })
    expect((await contents(target, 'photos'))['b']).toBe('mine')
    expect(await importArchive(target, path, { onConflict: 'replace' })).toMatchObject({ stored: 1, unchanged: 3 })
    expect((await contents(target, 'photos'))['b']).toBe('text of b')
  })

  it('takes other metadata for another object', async () => {
    await target.buckets.create('photos')
    await target.objects.put('photos', 'b', 'text of b', { metadata: { by: 'me' } })
    await expect(importArchive(target, path)).rejects.toMatchObject({ code: 'ImportConflict' })
  })

  it('stores nothing of a file that is cut', async () => {
    await writeFile(path, (await readFile(path)).subarray(0, 5000))
    await expect(importArchive(target, path)).rejects.toMatchObject({
      code: 'ArchiveCorrupt',
      details: { kind: 'torn' },
    })
    expect(await target.buckets.exists('photos')).toBe(false)
  })
})

describe('an archive with history', () => {
  beforeEach(async () => {
    await source.objects.put('photos', 'a', 'before versioning')
    await source.buckets.setVersioning('photos', 'Enabled')
    for (const text of ['one', 'two']) await source.objects.put('photos', 'a', text)
    await source.objects.delete('photos', 'a')
    await source.objects.put('photos', 'a', 'three')
    await source.objects.put('photos', 'a/b', 'beneath')
    await source.objects.put('photos', 'gone', 'x')
    await source.objects.delete('photos', 'gone')
  })

  it('gives back every version and delete marker in order', async () => {
    const written = await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    expect(written).toMatchObject({ objects: 6, markers: 2, events: 10 })
    expect(await importArchive(target, path)).toMatchObject({ stored: 6, markers: 2 })
    for (const key of ['a', 'a/b', 'gone']) {
      expect(await versionsOf(target, 'photos', key)).toEqual(await versionsOf(source, 'photos', key))
    }
    expect(await importArchive(target, path)).toMatchObject({ stored: 0, markers: 0, unchanged: 8 })
  })

  it('goes on where it was cut, and doubles no version', async () => {
    await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    const controller = new AbortController()
    let cut = { stored: 0, markers: 0 }
    const onProgress = ({ stored, markers }: ImportProgress) => {
      cut = { stored, markers }
      if (stored >= 3) controller.abort(new Error('stopped'))
    }
    await expect(importArchive(target, path, { signal: controller.signal, onProgress })).rejects.toThrow('stopped')
    const there = await countOf(target, 'photos')
    expect(cut).toEqual(there)
    expect(there.stored).toBeGreaterThanOrEqual(3)
    expect(await importArchive(target, path)).toMatchObject(restOf(there))
    expect(await versionsOf(target, 'photos', 'a')).toEqual(await versionsOf(source, 'photos', 'a'))
  })

  it('imports the objects as they were at a position and at a time', async () => {
    await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    const { seq } = (await source.versions.listPage('photos', { prefix: 'a' })).entries[2] as { seq: number }
    await importArchive(target, path, { at: seq })
    expect(await contents(target, 'photos')).toEqual({ a: 'two' })
    await importArchive(target, path, { at: new Date(), bucket: 'now' })
    expect(await contents(target, 'now')).toEqual(await contents(source, 'photos'))
  })

  it('refuses a bucket without versioning before it changes anything', async () => {
    await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    await target.buckets.create('photos')
    await expect(importArchive(target, path)).rejects.toMatchObject({ code: 'InvalidBucketState' })
    expect(await contents(target, 'photos')).toEqual({})
  })

  it('adds nothing to a key with another history', async () => {
    await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    await target.buckets.create('photos', { versioning: 'Enabled' })
    await target.objects.put('photos', 'a', 'mine')
    await expect(importArchive(target, path)).rejects.toMatchObject({ code: 'ImportConflict' })
    // The other keys did not wait for it.
    const { stored, markers } = await countOf(target, 'photos')
    const others = { stored: 3 - stored, markers: 1 - markers, unchanged: stored - 1 + markers }
    expect(await importArchive(target, path, { onConflict: 'skip' })).toMatchObject({ skipped: 5, ...others })
    expect(await versionsOf(target, 'photos', 'a')).toEqual(['mine'])
    await importArchive(target, path, { onConflict: 'replace' })
    expect(await versionsOf(target, 'photos', 'a')).toEqual(['mine', ...(await versionsOf(source, 'photos', 'a'))])
  })

  it('adds no version twice behind another history, however often and after whatever cut', async () => {
    await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    await target.buckets.create('photos', { versioning: 'Enabled' })
    await target.objects.put('photos', 'a', 'mine')
    const controller = new AbortController()
    const onProgress = ({ stored }: ImportProgress) => {
      if (stored >= 2) controller.abort(new Error('stopped'))
    }
    const cut = { onConflict: 'replace', signal: controller.signal, onProgress } as const
    await expect(importArchive(target, path, cut)).rejects.toThrow('stopped')
    const { stored, markers } = await countOf(target, 'photos')
    expect(stored).toBeGreaterThanOrEqual(3)
    const again = await importArchive(target, path, { onConflict: 'replace' })
    expect(again).toMatchObject(restOf({ stored: stored - 1, markers }))
    const { seq } = target
    await importArchive(target, path, { onConflict: 'replace' })
    expect(target.seq).toBe(seq)
    expect(await versionsOf(target, 'photos', 'a')).toEqual(['mine', ...(await versionsOf(source, 'photos', 'a'))])
  })

  it('has the events of the range that is asked for', async () => {
    const options = { bucket: 'photos', withHistory: true, from: 2, to: 4 } as const
    expect(await exportArchive(source, path, options)).toMatchObject({ events: 3 })
    expect(await verifyArchive(path)).toMatchObject({ events: 3, objects: 6 })
  })

  it.each([
    [{ from: 1 }, 'withHistory'],
    [{ withHistory: true, to: 1000 }, 'to'],
    [{ withHistory: true, from: 1000 }, 'from'],
    [{ withHistory: true, from: 4, to: 3 }, 'from'],
    [{ withHistory: true, to: 0 }, 'from'],
  ])('refuses %j', async (options, name) => {
    await expect(exportArchive(source, path, { bucket: 'photos', ...options })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: name },
    })
  })

  it('refuses a position after its end, before it changes anything', async () => {
    const { seq } = source
    await exportArchive(source, path, { bucket: 'photos', withHistory: true })
    const refused = importArchive(target, path, { at: seq + 1 })
    await expect(refused).rejects.toMatchObject({ code: 'MomentOutOfRange' })
    await expect(target.buckets.head('photos')).rejects.toMatchObject({ code: 'NoSuchBucket' })
    await importArchive(target, path, { at: seq })
    expect(await contents(target, 'photos')).toEqual(await contents(source, 'photos'))
  })

  it('refuses a moment for an archive without history', async () => {
    await exportArchive(source, path, { bucket: 'photos' })
    await expect(importArchive(target, path, { at: 1 })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
