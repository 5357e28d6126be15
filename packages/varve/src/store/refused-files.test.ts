/** Bytes of writes that were refused are in no file of a store: no event names them, so nobody could have them erased. */
import { randomBytes } from 'node:crypto'
import { openedParts } from '@varve/core'
import { expect, it } from 'vitest'
import { filesWith, marksOf } from '../files-with.fixture.ts'
import { type LayoutName, openStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()

/** Below and above the sizes up to which bytes are in the journal, and in segments. */
const secrets = (): readonly string[] =>
  [2000, 40_000, 200_000, 600_000].map((bytes) => randomBytes(bytes / 2).toString('hex'))

const isRefused = (call: Promise<unknown>) => expect(call).rejects.toThrow()

/** Each way in which bytes reach the blob store and no event comes to name them. */
const ways: Readonly<Record<string, (store: Store, texts: readonly string[]) => Promise<unknown>>> = {
  async 'a condition that does not hold'(store, texts) {
    await store.objects.put('box', 'there', 'x')
    for (const text of texts) await isRefused(store.objects.put('box', 'there', text, { ifNoneMatch: '*' }))
  },
  async 'a digest that does not fit'(store, texts) {
    const contentMD5 = 'AAAAAAAAAAAAAAAAAAAAAA=='
    for (const text of texts) await isRefused(store.objects.put('box', 'k', text, { contentMD5 }))
  },
  async 'an upload that was erased meanwhile'(store, texts) {
    const upload = await store.uploads.create('box', 'k')
    const begun = texts.map(() => gate())
    const erased = gate()
    const parts = texts.map((text, i) => {
      const body = async function* () {
        yield Buffer.from(text.slice(0, 1000))
        begun[i]?.open()
        await erased.opened
        yield Buffer.from(text.slice(1000))
      }
      return isRefused(store.uploads.uploadPart(upload, i + 1, body()))
    })
    await Promise.all(begun.map(({ opened }) => opened))
    await store.erase({ bucket: 'box', key: 'k', uploads: 'only' })
    erased.open()
    await Promise.all(parts)
  },
  async 'a transaction that is undone'(store, texts) {
    const undone = store.transaction(async (tx) => {
      for (const [i, text] of texts.entries()) await tx.objects.put('box', `k${i}`, text)
      throw new Error('undone')
    })
    await isRefused(undone)
  },
  async 'a crash before the commit, which the sweep finds'(store, texts) {
    const { blobs, ids } = orphaning(store)
    for (const text of texts) {
      const source = async function* () {
        yield Buffer.from(text)
      }
      await blobs.write(ids(), source())
    }
    expect(await store.sweep({ orphans: true })).toMatchObject({ orphans: texts.length })
  },
}

function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open: () => open(), opened }
}

const orphaning = (store: Store) => ({ blobs: openedParts(store).blobs, ids: () => randomBytes(16).toString('hex') })

const layouts: readonly LayoutName[] = ['level+files', 'level+segments', 'segments+tiered']
const cases = layouts.flatMap((layout) => Object.keys(ways).map((way) => ({ layout, way })))

it.each(cases)('leaves nothing in the files of $layout after $way', async ({ layout, way }) => {
  const dir = scratch.next()
  const texts = secrets()
  const store = await openStore(dir, { layout, retentionMs: 1e12, sweepEveryMs: 0, sweepOrphans: false })
  await store.buckets.create('box')
  // Segments that are needed are not cleared.
  const live = randomBytes(200_000)
  for (const key of ['live', 'live2', 'live3', 'live4', 'live5', 'live6']) await store.objects.put('box', key, live)
  await ways[way]?.(store, texts)
  expect(await filesWith(dir, marksOf(texts))).toEqual([])
  expect((await store.verify()).divergences).toEqual([])
  await store.close()
  const again = await openStore(dir)
  expect((await again.verify()).divergences).toEqual([])
  expect(Buffer.from(await (await again.objects.get('box', 'live6')).bytes()).equals(live)).toBe(true)
  await again.close()
})
