/** Imports of a moment: an object that is not in the archive any more is absent, and no older one takes its place. */
import { createReadStream } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { exportArchive, importArchive } from './archives.ts'

const scratch = scratchDirectory()
const bucket = 'photos'
let source: Store
let target: Store
let path: string

beforeEach(async () => {
  source = await memoryStore()
  target = await memoryStore()
  path = scratch.next()
  await source.buckets.create(bucket, { versioning: 'Enabled' })
})
afterEach(async () => {
  await source.close()
  await target.close()
})

const put = (text: string) => source.objects.put(bucket, 'a', text)

/** The text of the object after an import, and how many were absent. */
async function imported(at?: number | Date): Promise<readonly [text: string | undefined, absent: number]> {
  await exportArchive(source, path, { bucket, withHistory: true, overwrite: true })
  const { absent } = await importArchive(target, path, at === undefined ? {} : { at })
  const isThere = await target.objects.exists(bucket, 'a')
  return [isThere ? await (await target.objects.get(bucket, 'a')).text() : undefined, absent]
}

describe('an import of a moment', () => {
  it('takes no older version for one that was removed later', async () => {
    await put('one')
    const two = await put('two')
    await put('three')
    await source.versions.delete(bucket, 'a', two.versionId)
    expect(await imported(two.seq)).toEqual([undefined, 1])
  })

  it('takes the older version for a moment after the newer one was removed', async () => {
    await put('one')
    const two = await put('two')
    await source.versions.delete(bucket, 'a', two.versionId)
    const { seq } = source
    await put('three')
    expect(await imported(seq)).toEqual(['one', 0])
  })

  it('counts an object of which the archive has no version at all', async () => {
    const one = await put('one')
    await source.versions.delete(bucket, 'a', one.versionId)
    expect(await imported(one.seq)).toEqual([undefined, 1])
  })

  it('brings back no object whose delete marker was removed later', async () => {
    await put('one')
    await source.objects.delete(bucket, 'a')
    const { seq } = source
    const [marker] = (await source.versions.listPage(bucket)).entries
    if (marker?.kind !== 'marker') throw new Error('no marker')
    await source.versions.delete(bucket, 'a', marker.versionId)
    expect(await imported(seq)).toEqual([undefined, 0])
  })

  it('takes no older version for a null version that was replaced later', async () => {
    await put('one')
    await source.buckets.setVersioning(bucket, 'Suspended')
    const two = await put('two')
    await source.objects.delete(bucket, 'a')
    const deleted = source.seq
    await put('three')
    expect(await imported(two.seq)).toEqual([undefined, 1])
    expect(await imported(deleted)).toEqual([undefined, 0])
  })

  it('knows by a time too what was removed later', async () => {
    await put('one')
    const two = await put('two')
    const at = (await source.objects.head(bucket, 'a')).lastModified
    while (Date.now() <= at.getTime()) await new Promise(setImmediate)
    await source.versions.delete(bucket, 'a', two.versionId)
    expect(await imported(at)).toEqual([undefined, 1])
  })

  it('takes the older version for a moment before newer ones were restored', async () => {
    await put('one')
    const removed = [await put('two'), await put('three')]
    const { seq: before } = source
    for (const { versionId } of removed) await source.versions.delete(bucket, 'a', versionId)
    const { seq: between } = source
    await source.undo({ from: before })
    await put('four')
    expect(await imported(between)).toEqual(['one', 0])
  })

  it('takes a version that was removed and restored after the moment', async () => {
    await put('one')
    const { versionId, seq } = await put('two')
    await source.versions.delete(bucket, 'a', versionId)
    await source.undo({ from: seq })
    expect(await imported(seq)).toEqual(['two', 0])
  })

  it('takes no older version for one that only its client can decrypt', async () => {
    await put('one')
    const encryption = { mode: 'SSE-C', key: new Uint8Array(32) } as const
    const { seq } = await source.objects.put(bucket, 'a', 'two', { encryption })
    expect(await imported(seq)).toEqual([undefined, 1])
  })

  it('is refused for a stream, whose events come last', async () => {
    const { seq } = await put('one')
    await exportArchive(source, path, { bucket, withHistory: true })
    await expect(importArchive(target, createReadStream(path), { at: seq })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'at' },
    })
  })
})

describe('an import of a history', () => {
  it('shows no older version in the place of one that only its client can decrypt', async () => {
    await put('one')
    await source.objects.put(bucket, 'a', 'two', { encryption: { mode: 'SSE-C', key: new Uint8Array(32) } })
    expect(await imported()).toEqual([undefined, 1])
    expect(await importArchive(target, path)).toMatchObject({ stored: 0, markers: 0, unchanged: 2, absent: 1 })
  })
})
