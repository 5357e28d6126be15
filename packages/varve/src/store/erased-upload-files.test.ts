import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { filesWith, marksOf } from '../files-with.fixture.ts'
import { type LayoutName, openStore, type Store, type UploadInfo } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()

/** Random, so that no compression changes its bytes. Below and above the size up to which bytes are in the journal. */
const secrets = (): readonly string[] =>
  [24, 2000, 32_000, 200_000].map((bytes) => randomBytes(bytes / 2).toString('hex'))

interface Added {
  readonly store: Store
  readonly upload: UploadInfo
  readonly texts: readonly string[]
}

const addAll = async ({ store, upload, texts }: Added): Promise<void> => {
  for (const [i, text] of texts.entries()) await store.uploads.uploadPart(upload, i + 1, text)
}

/** Each way in which an upload leaves bytes that no version showed. */
const ways: Record<string, (added: Added) => Promise<unknown>> = {
  'in progress': addAll,
  async 'with parts that were replaced'(added) {
    await addAll(added)
    await addAll({ ...added, texts: added.texts.map(() => 'harmless') })
  },
  async aborted(added) {
    await addAll(added)
    await added.store.uploads.abort(added.upload)
  },
  async completed(added) {
    const { store, upload, texts } = added
    await addAll(added)
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, texts.length + 1, 'harmless')])
  },
}

const layouts: readonly LayoutName[] = ['level+files', 'sqlite+files', 'level+segments']

/** Whether a sweep erases the bytes before, which leaves them in the files: at once, if there is no retention. */
const sweeps = {
  'before any sweep': { retentionMs: 1e12, isSwept: false },
  'after a sweep': { retentionMs: 1e12, isSwept: true },
  'beside sweeps at once': { retentionMs: 0, isSwept: false },
} as const

const cases = layouts.flatMap((layout) =>
  Object.keys(ways).flatMap((way) => Object.entries(sweeps).map(([when, sweep]) => ({ layout, way, when, ...sweep }))),
)

it.each(cases)(
  'leaves no bytes of an upload that is $way in any file of $layout, $when',
  async ({ layout, way, retentionMs, isSwept }) => {
    const dir = scratch.next()
    const texts = secrets()
    const marks = marksOf(texts)
    const store = await openStore(dir, { layout, retentionMs, sweepEveryMs: 0 })
    await store.buckets.create('site')
    const upload = await store.uploads.create('site', 'key')
    await ways[way]?.({ store, upload, texts })
    if (isSwept) await store.sweep()
    expect(await filesWith(dir, marks)).not.toEqual([])

    const { entries, erasedBefore, pending } = await store.erase({ bucket: 'site', key: 'key', uploads: 'only' })

    expect(entries.length + erasedBefore).toBe(1)
    for (const entry of entries) expect(entry).toMatchObject({ kind: 'upload', uploadId: upload.uploadId })
    expect(pending).toBe(0)
    expect(await filesWith(dir, marks)).toEqual([])
    await store.close()
    expect(await filesWith(dir, marks)).toEqual([])
    await (await openStore(dir)).close()
    expect(await filesWith(dir, marks)).toEqual([])
  },
)
