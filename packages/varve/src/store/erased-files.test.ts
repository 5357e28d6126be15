import { randomBytes } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { filesWith } from '../files-with.fixture.ts'
import { type LayoutName, openStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()

const patience = { timeout: 30_000, interval: 50 }

/** Random, so that no compression changes its bytes. */
const secretOf = (bytes: number): string => randomBytes(bytes / 2).toString('hex')

const layouts: readonly LayoutName[] = [
  'level+files',
  'sqlite+files',
  'level+segments',
  'level+tiered',
  'segments+files',
  'segments+segments',
  'lmdb+files',
  'lmdb+segments',
]

it.each(layouts.flatMap((layout) => [0, 1, 3].map((openings) => ({ layout, openings }))))(
  'leaves no erased bytes in any file of $layout, after $openings reopenings',
  async ({ layout, openings }) => {
    const dir = scratch.next()
    const secrets = [secretOf(24), secretOf(2000), secretOf(32_000), secretOf(200_000)]
    const marks = secrets.flatMap((secret) => [secret.slice(0, 16), secret.slice(-16)])
    let store = await openStore(dir, { layout })
    await store.buckets.create('site')
    for (const [i, secret] of secrets.entries()) await store.objects.put('site', `key-${i}`, secret)
    for (let i = 0; i < openings; i++) {
      await store.close()
      store = await openStore(dir)
      await store.objects.put('site', 'other', secretOf(5000))
    }
    expect(await filesWith(dir, marks)).not.toEqual([])

    const { pending } = await store.erase({ bucket: 'site', prefix: 'key-', live: true })

    expect(pending).toBe(0)
    expect(await filesWith(dir, marks)).toEqual([])
    await store.close()
    expect(await filesWith(dir, marks)).toEqual([])
    await (await openStore(dir)).close()
    expect(await filesWith(dir, marks)).toEqual([])
  },
)

it.each(layouts)(
  'leaves nothing in the files of %s of what a sweep had erased before somebody erases it',
  async (layout) => {
    const dir = scratch.next()
    const secrets = [secretOf(24), secretOf(2000), secretOf(200_000)]
    const marks = secrets.flatMap((secret) => [secret.slice(0, 16), secret.slice(-16)])
    const store = await openStore(dir, { layout, retentionMs: 0 })
    await store.buckets.create('site')
    for (const [i, secret] of secrets.entries()) await store.objects.put('site', `key-${i}`, secret)
    const upload = await store.uploads.create('site', 'key-parts')
    const part = await store.uploads.uploadPart(upload, 1, secrets[0] as string)
    await store.uploads.complete(upload, [part])
    for (const key of ['key-0', 'key-1', 'key-2', 'key-parts']) await store.objects.delete('site', key)
    await store.sweep()
    expect(await filesWith(dir, marks)).not.toEqual([])

    const { entries, erasedBefore, pending } = await store.erase({ bucket: 'site', prefix: 'key-' })

    expect([entries.length, erasedBefore, pending]).toEqual([0, 4, 0])
    expect(await filesWith(dir, marks)).toEqual([])
    await store.close()
    expect(await filesWith(dir, marks)).toEqual([])
  },
)

it('leaves no erased bytes in a replica and in a store that follows it', async () => {
  const [dir, replica, following] = [scratch.next(), scratch.next(), scratch.next()]
  // Short bytes are packed in a replica, so the search finds only the others.
  const secrets = [secretOf(24), secretOf(200_000)]
  const marks = secrets.flatMap((secret) => [secret.slice(0, 16), secret.slice(-16)])
  const store = await openStore(dir, { replicas: [{ to: replica, everyMs: 20 }] })
  await store.buckets.create('site')
  for (const [i, secret] of secrets.entries()) await store.objects.put('site', `key-${i}`, secret)
  await vi.waitFor(async () => expect(await filesWith(replica, marks)).not.toEqual([]), patience)
  const follower = await openStore(following, { follow: { from: replica, everyMs: 20 } })
  await vi.waitFor(async () => expect(await filesWith(following, marks)).toHaveLength(2), patience)

  await store.erase({ bucket: 'site', prefix: 'key-', live: true })

  for (const each of [replica, following])
    await vi.waitFor(async () => expect(await filesWith(each, marks)).toEqual([]), patience)
  await Promise.all([store.close(), follower.close()])
  expect(await filesWith(following, marks)).toEqual([])
}, 60_000)
