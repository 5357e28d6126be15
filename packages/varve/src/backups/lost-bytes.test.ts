import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { varve } from '../cli/run-main.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { restoreStore, verifyReplica } from './replicas.ts'

let home: string
let to: string
let dir: string
const scratch = scratchDirectory()

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  to = join(home, 'replica')
  dir = join(home, 'restored')
})

const jobOf = ({ jobs }: Store) => jobs.find(({ name }) => name.startsWith('replication'))

const isWhole = (store: Store) =>
  expect
    .poll(() => [jobOf(store)?.progress, { position: store.seq, head: store.seq }], { timeout: 30_000 })
    .toSatisfy(([progress, end]) => JSON.stringify(progress) === JSON.stringify(end))

const blobFiles = async (): Promise<readonly string[]> => {
  const found = await readdir(join(to, 'blobs'), { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const large = (n: number) => Buffer.alloc(200_000, `text ${n}`)

/** Loses one more blob of the replica with each call. */
async function lose(store: Store, kind: string): Promise<void> {
  const before = new Set(await blobFiles())
  if (kind === 'an object') await store.objects.put('box', 'lost', large(1))
  else {
    const upload = await store.uploads.create('box', 'lost')
    const { etag } = await store.uploads.uploadPart(upload, 1, large(1))
    if (kind === 'an object of parts') await store.uploads.complete(upload, [{ partNumber: 1, etag }])
  }
  await isWhole(store)
  const added = (await blobFiles()).filter((name) => !before.has(name))
  expect(added).toHaveLength(1)
  for (const name of added) await rm(name)
}

describe('bytes that a replica has lost', () => {
  it.each(['an object', 'an object of parts'])(
    'are never called erased, of %s',
    async (kind) => {
      const store = await openStore(join(home, 'one'), { replicas: [{ to, everyMs: 20 }] })
      await store.buckets.create('box')
      await store.objects.put('box', 'kept', large(0))
      await store.objects.put('box', 'removed', large(2))
      await isWhole(store)
      const at = store.seq
      await store.erase({ bucket: 'box', key: 'removed', live: true })
      await isWhole(store)
      await lose(store, kind)
      await store.close()
      expect(await verifyReplica(to)).toMatchObject({ damaged: 1, erased: 1 })
      expect(await restoreStore(to, dir)).toMatchObject({ lost: 1, absent: 1 })
      const there = await openStore(dir)
      await expect(there.objects.get('box', 'lost').then((found) => found.bytes())).rejects.toMatchObject({
        code: 'BlobMissing',
      })
      expect((await there.verify()).divergences).toHaveLength(1)
      await there.close()
      expect(await varve(['restore-store', to, join(home, 'by command')])).toMatchObject({
        status: 4,
        stdout: expect.stringContaining('1 contents are lost') as string,
      })
      // What was erased later is known also in a restore to a moment before.
      const earlier = join(home, 'earlier')
      expect(await restoreStore(to, earlier, { at })).toMatchObject({ lost: 0, absent: 1 })
      const then = await openStore(earlier)
      await expect(then.objects.get('box', 'removed')).rejects.toMatchObject({ code: 'ObjectErased' })
      expect((await then.verify()).divergences).toEqual([])
      await then.close()
    },
    60_000,
  )

  it('are named by the job that writes a replica, and by the one that follows it', async () => {
    const path = join(home, 'one')
    const first = await openStore(path)
    await first.buckets.create('box')
    await first.objects.put('box', 'lost', large(1))
    await first.objects.put('box', 'erased', large(2))
    await first.erase({ bucket: 'box', key: 'erased', live: true })
    await first.close()
    const files = await readdir(join(path, 'blobs'), { recursive: true, withFileTypes: true })
    for (const entry of files) if (entry.isFile()) await rm(join(entry.parentPath, entry.name))
    const store = await openStore(path, { replicas: [{ to, everyMs: 20 }] })
    const follower = await openStore(join(home, 'standby'), { follow: { from: to, everyMs: 20 } }).catch(async () => {
      await isWhole(store)
      return openStore(join(home, 'standby'), { follow: { from: to, everyMs: 20 } })
    })
    const error = { code: 'BlobMissing', details: { count: 1 } }
    const errorOf = (of: Store, kind: string) => of.jobs.find(({ name }) => name.startsWith(kind))?.lastError?.error
    await expect.poll(() => errorOf(store, 'replication'), { timeout: 30_000 }).toMatchObject(error)
    await expect.poll(() => errorOf(follower, 'following'), { timeout: 30_000 }).toMatchObject(error)
    await follower.close()
    await store.close()
  })
})
