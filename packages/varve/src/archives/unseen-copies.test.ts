/** Parts that no version ever showed are in no copy of a store, and their absence there is no loss. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeEach, expect, it } from 'vitest'
import { backUpStore, restoreStore } from '../backups/replicas.ts'
import { filesWith, marksOf } from '../files-with.fixture.ts'
import { openStore, type Store, type UploadInfo } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { exportStore, importStore, verifyArchive } from './archives.ts'

const scratch = scratchDirectory()
let dir: string
let texts: readonly string[]

beforeEach(() => {
  dir = scratch.next()
  texts = [24, 2000, 40_000, 300_000].map((bytes) => randomBytes(bytes / 2).toString('hex'))
})

/** Each way in which an upload leaves parts that no version showed. */
const ways: Readonly<Record<string, (store: Store, upload: UploadInfo) => Promise<unknown>>> = {
  async aborted(store, upload) {
    for (const [i, text] of texts.entries()) await store.uploads.uploadPart(upload, i + 1, text)
    await store.uploads.abort(upload)
  },
  async 'with replaced parts'(store, upload) {
    for (const text of [...texts, 'harmless']) await store.uploads.uploadPart(upload, 1, text)
  },
  async 'completed without them'(store, upload) {
    const chosen = await store.uploads.uploadPart(upload, 1, 'harmless')
    for (const [i, text] of texts.entries()) await store.uploads.uploadPart(upload, i + 2, text)
    await store.uploads.complete(upload, [chosen])
  },
}

async function isSound(copy: string): Promise<void> {
  expect(await filesWith(copy, marksOf(texts))).toEqual([])
  const store = await openStore(copy, { sweepEveryMs: 0, sweepOrphans: false })
  expect((await store.verify()).divergences).toEqual([])
  expect(await (await store.objects.get('box', 'kept')).text()).toBe('kept')
  await store.sweep({ orphans: true })
  expect((await store.verify()).divergences).toEqual([])
  await store.close()
}

it.each(Object.keys(ways))(
  'parts of an upload that is %s are not copied before a sweep erases them',
  async (way) => {
    const store = await openStore(dir, { retentionMs: 1e12, sweepEveryMs: 0 })
    await store.buckets.create('box')
    await store.objects.put('box', 'kept', 'kept')
    await ways[way]?.(store, await store.uploads.create('box', 'upload'))
    await store.close()
    const [archive, imported, copy, restored, again] = Array.from({ length: 5 }, () => scratch.next()) as never as [
      string,
      string,
      string,
      string,
      string,
    ]
    expect(await exportStore(dir, archive)).toMatchObject({ absent: texts.length, lost: 0 })
    const bytes = await readFile(archive)
    expect(marksOf(texts).filter((mark) => bytes.includes(mark))).toEqual([])
    expect(await verifyArchive(archive)).toMatchObject({ lost: 0 })
    expect(await importStore(archive, imported)).toMatchObject({ lost: 0 })
    await isSound(imported)
    expect(await backUpStore(dir, copy)).toMatchObject({ absent: 0 })
    expect(await filesWith(copy, marksOf(texts))).toEqual([])
    const read = await openStore(copy, { readOnly: true })
    expect((await read.verify()).divergences).toEqual([])
    await read.close()
    expect(await restoreStore(copy, restored)).toMatchObject({ lost: 0 })
    await isSound(restored)
    expect(await restoreStore(dir, again)).toMatchObject({ lost: 0 })
    await isSound(again)
  },
  120_000,
)
