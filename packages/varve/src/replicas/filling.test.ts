import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreDirectory } from '@varve/adapters'
import type { Store } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { backUpStore, restoreStore } from '../backups/replicas.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { migrateStore, verifyStore } from '../maintenance/closed-stores.ts'
import { openStore } from '../store/open-store.ts'
import { type FillingNote, readFillingNote, writeFillingNote } from './filling-note.ts'

const scratch = scratchDirectory()
const everyMs = 20

let home: string
let to: string
let dir: string

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  ;[to, dir] = [join(home, 'replica'), join(home, 'again')]
  await writeReplica(to)
})

const large = (n: number) => `large ${n} `.repeat(20_000)

/** Twelve large objects, and as many short ones. */
async function writeReplica(...replicas: readonly string[]): Promise<void> {
  const store = await openStore(join(home, 'first'), { replicas: replicas.map((one) => ({ to: one, everyMs })) })
  if (store.seq === 0 || !(await store.buckets.exists('box')))
    await store.buckets.create('box', { versioning: 'Enabled' })
  for (let n = 0; n < 12; n++) {
    await store.objects.put('box', `large${n}`, large(n))
    await store.objects.put('box', `short${n}`, `short ${n}`)
  }
  await store.close()
}

/** Makes a replica of another store where the first one was. */
async function rewrite({ events }: { readonly events: number }): Promise<void> {
  const other = await openStore(join(home, 'stranger'), { replicas: [{ to, everyMs }] })
  for (let n = 0; n < events; n++) await other.buckets.create(`bucket-${n}`)
  await other.close()
}

/** Puts a copy of the replica where it was, without the last of its files. */
async function loseEnd(): Promise<void> {
  await cp(`${to}-away`, to, { recursive: true })
  await rm(join(to, 'blobs'), { recursive: true })
  await mkdir(join(to, 'blobs'))
  const logs = (await readdir(join(to, 'replica'))).filter((name) => name.startsWith('log.'))
  await rm(join(to, 'replica', logs.sort().at(-1) as string))
}

const textOf = async (store: Store, key: string): Promise<string> => (await store.objects.get('box', key)).text()

async function blobFiles(of = dir): Promise<number> {
  const entries = await readdir(join(of, 'blobs'), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).length
}

/** The events after which the replica has the rows of the views. */
async function viewFiles(): Promise<readonly number[]> {
  const names = await readdir(join(to, 'replica'))
  return names.flatMap((name) => /^views\.0\.([0-9]+)-/.exec(name)?.[1] ?? []).map(Number)
}

const jobOf = (store: Store) => store.jobs.find(({ name }) => name === 'filling')

const isFilled = (): Promise<void> => expect.poll(() => readFillingNote(dir), { timeout: 20_000 }).toBeUndefined()

const restore = (options = {}) => restoreStore(to, dir, { instant: true, ...options })

/** A store that does no work of an owner, so that nothing is brought. */
const openToRead = (): Promise<Store> => openStore(dir, { readOnly: true })

describe('an instant restore', () => {
  it('leaves the blobs in the replica, and the store reads them there', async () => {
    expect(await restore()).toMatchObject({ filling: true, blobs: 0, absent: 0 })
    expect(await blobFiles()).toBe(0)
    const store = await openToRead()
    for (let n = 0; n < 12; n++) {
      expect(await textOf(store, `large${n}`)).toBe(large(n))
      expect(await textOf(store, `short${n}`)).toBe(`short ${n}`)
    }
    await store.close()
    expect(await blobFiles()).toBe(0)
  })

  it('brings them while the store is open, which then needs the replica no more', async () => {
    await restore()
    const store = await openStore(dir)
    await store.objects.put('box', 'new', large(100))
    await isFilled()
    expect(jobOf(store)).toMatchObject({ progress: { position: expect.any(Number) } })
    expect(await blobFiles()).toBe(13)
    await store.close()
    await rm(to, { recursive: true })
    const again = await openStore(dir)
    for (let n = 0; n < 12; n++) expect(await textOf(again, `large${n}`)).toBe(large(n))
    expect((await again.verify()).divergences).toEqual([])
    const types = []
    for await (const { type } of again.log()) types.push(type)
    expect(types).not.toContain('BytesHealed')
    await again.close()
  })

  it('takes the rows of the views from the replica, and computes only those of later events', async () => {
    const first = await openStore(join(home, 'first'), { replicas: [{ to, everyMs, viewsEvery: 10 }] })
    await expect.poll(viewFiles, { timeout: 20_000 }).toHaveLength(1)
    await first.close()
    await writeReplica(to)
    const [views = 0] = await viewFiles()
    const computed: number[] = []
    const onProgress = ({ stage, total }: { readonly stage: string; readonly total: number }): void => {
      if (stage === 'views') computed.push(total)
    }
    const { head } = await restore({ onProgress })
    expect(Math.max(...computed)).toBe(head - 1 - views)
    computed.length = 0
    await restoreStore(to, join(home, 'whole'), { onProgress })
    expect(Math.max(...computed)).toBe(head - 1)
    const store = await openStore(dir)
    expect((await store.verify()).divergences).toEqual([])
    await isFilled()
    await store.close()
  })

  it('finds rows that the log does not make, and stays one that is being filled', async () => {
    await restore()
    const directory = await openStoreDirectory(dir)
    const { journal } = directory
    const expectedHead = await journal.head()
    const cursor = journal.cursor({ gte: Uint8Array.of(0x20), lt: Uint8Array.of(0x21) })
    const [[key] = []] = await cursor.next(1)
    await cursor.close()
    await journal.commit({ expectedHead, events: [], rows: [{ key: key as Uint8Array, value: null }] })
    await directory.close()
    const store = await openStore(dir)
    await expect
      .poll(() => (jobOf(store)?.lastError?.error as { readonly code?: string } | undefined)?.code, { timeout: 20_000 })
      .toBe('RowCorrupt')
    expect(await readFillingNote(dir)).toBeDefined()
    await store.rebuild()
    await store.close()
    const again = await openStore(dir)
    await isFilled()
    expect((await again.verify()).divergences).toEqual([])
    await again.close()
  })

  it('goes on where it was interrupted, and only as an instant one', async () => {
    const ending = new AbortController()
    const signal = ending.signal
    const onProgress = () => ending.abort()
    await expect(restore({ signal, onProgress })).rejects.toThrow()
    await expect(restoreStore(to, dir)).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'instant' },
    })
    await restore()
    const store = await openStore(dir)
    await isFilled()
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })

  it('writes nothing where another store is', async () => {
    const other = await openStore(dir)
    await other.buckets.create('mine')
    await other.close()
    await expect(restore()).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect(await readFillingNote(dir)).toBeUndefined()
  })

  it('needs a replica', async () => {
    await expect(restoreStore(join(home, 'first'), dir, { instant: true })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'instant' },
    })
  })

  it('ends at an earlier moment too', async () => {
    const first = await openStore(join(home, 'first'), { readOnly: true })
    const seq = first.seq
    await first.close()
    await writeReplica(to)
    expect(await restore({ at: seq })).toMatchObject({ head: seq + 1 })
    const store = await openStore(dir)
    await isFilled()
    expect(await blobFiles()).toBe(12)
    await store.close()
  })
})

describe('a store that is being filled', () => {
  it('goes on when its replica comes back', async () => {
    await restore()
    await rename(to, `${to}-away`)
    const store = await openStore(dir)
    await expect(textOf(store, 'large1')).rejects.toMatchObject({ code: 'BlobFailed' })
    expect(await textOf(store, 'short1')).toBe('short 1')
    await expect.poll(() => jobOf(store)?.lastError).toBeDefined()
    await store.objects.put('box', 'new', large(100))
    expect(await textOf(store, 'new')).toBe(large(100))
    await rename(`${to}-away`, to)
    expect(await textOf(store, 'large1')).toBe(large(1))
    await isFilled()
    await store.close()
  })

  it('asks the next replica for what the first one lacks', async () => {
    const other = join(home, 'other')
    await rm(to, { recursive: true })
    await writeReplica(to, other)
    await restoreStore([to, other], dir, { instant: true })
    await rm(join(to, 'blobs'), { recursive: true })
    const store = await openStore(dir)
    expect(await textOf(store, 'large3')).toBe(large(3))
    await isFilled()
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })

  for (const [what, put] of [
    ['an empty replica', () => rewrite({ events: 0 })],
    ['the replica of another store', () => rewrite({ events: 40 })],
    ['an empty directory', () => mkdir(to)],
    ['a replica that lost its end', loseEnd],
  ] as const)
    it(`believes nothing that ${what} at the same address says`, async () => {
      await restore()
      await rename(to, `${to}-away`)
      await put()
      await expect(backUpStore(dir, join(home, 'copy'))).rejects.toMatchObject({ code: 'BlobFailed' })
      const reading = await openToRead()
      await expect(textOf(reading, 'large1')).rejects.toMatchObject({ code: 'BlobFailed' })
      await reading.close()
      const found = (await verifyStore(dir)).divergences
      expect(found.length).toBeGreaterThan(0)
      expect(found.map(({ kind }) => kind)).not.toContain('BlobMissing')
      const store = await openStore(dir, { replicas: [{ to, everyMs }] })
      await expect(textOf(store, 'large1')).rejects.toMatchObject({ code: 'BlobFailed' })
      await expect.poll(() => jobOf(store)?.lastError?.error).toMatchObject({ code: 'BlobFailed' })
      expect(jobOf(store)?.lastError?.error).toMatchObject({ message: expect.stringContaining(to) })
      await store.close()
      expect(await readFillingNote(dir)).toBeDefined()
      await rm(to, { recursive: true })
      await rename(`${to}-away`, to)
      const again = await openStore(dir)
      expect(await textOf(again, 'large1')).toBe(large(1))
      await isFilled()
      expect((await again.verify()).divergences).toEqual([])
      await again.close()
    })

  it('notices that another replica has taken the place while it is open', async () => {
    await restore()
    const store = await openToRead()
    expect(await textOf(store, 'large1')).toBe(large(1))
    await rename(to, `${to}-away`)
    await rewrite({ events: 40 })
    await expect(textOf(store, 'large2')).rejects.toMatchObject({ code: 'BlobFailed' })
    await rm(to, { recursive: true })
    await rename(`${to}-away`, to)
    expect(await textOf(store, 'large2')).toBe(large(2))
    await store.close()
  })

  it('believes its replica when that has gone on, also in another branch after the restored events', async () => {
    const first = await openStore(join(home, 'first'), { readOnly: true })
    const at = first.seq
    await first.close()
    await writeReplica(to)
    await restore({ at })
    await rm(join(to, 'blobs'), { recursive: true })
    await mkdir(join(to, 'blobs'))
    await restoreStore(to, join(home, 'other'), { at })
    const other = await openStore(join(home, 'other'), { replicas: [{ to, everyMs, takeOver: true }] })
    await other.objects.put('box', 'new', 'new')
    await other.close()
    const store = await openStore(dir)
    await isFilled()
    expect(jobOf(store)?.lastError?.error).toMatchObject({ code: 'BlobMissing', details: { count: 12 } })
    await store.close()
  })

  it('reads a note that does not say which events the replica had, and believes no shorter replica', async () => {
    await restore()
    const { held, ...note } = (await readFillingNote(dir)) as FillingNote
    expect(held).toHaveLength(1)
    await writeFillingNote(dir, note)
    await rename(to, `${to}-away`)
    await rewrite({ events: 3 })
    const reading = await openToRead()
    await expect(textOf(reading, 'large1')).rejects.toMatchObject({ code: 'BlobFailed' })
    await reading.close()
    await rm(to, { recursive: true })
    await rename(`${to}-away`, to)
    const store = await openStore(dir)
    await isFilled()
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })

  it('believes a replica that was behind, or could not be read, when it was restored', async () => {
    const [behind, away] = [join(home, 'behind'), join(home, 'away')]
    await cp(to, behind, { recursive: true })
    await cp(to, away, { recursive: true })
    await writeReplica(to)
    await rename(away, `${away}-away`)
    await restoreStore([to, behind, away], dir, { instant: true })
    await rename(`${away}-away`, away)
    for (const one of [to, behind, away]) {
      await rm(join(one, 'blobs'), { recursive: true })
      await mkdir(join(one, 'blobs'))
    }
    const store = await openStore(dir)
    await isFilled()
    await store.close()
  })

  it('does not call erased what no replica has', async () => {
    await restore()
    await rm(join(to, 'blobs'), { recursive: true })
    await mkdir(join(to, 'blobs'))
    const store = await openStore(dir)
    await isFilled()
    await expect(textOf(store, 'large1')).rejects.toMatchObject({ code: 'BlobMissing' })
    expect((await store.verify()).divergences).toHaveLength(12)
    expect(jobOf(store)?.lastError?.error).toMatchObject({ code: 'BlobMissing', details: { count: 12 } })
    await store.close()
  })

  it('brings nothing back that was removed meanwhile', async () => {
    await restore()
    const store = await openStore(dir)
    await store.retention.set({ keepMs: 0 })
    for (let n = 0; n < 12; n++) {
      const { versionId } = await store.objects.head('box', `large${n}`)
      await store.objects.delete('box', `large${n}`, { versionId })
      await store.sweep()
    }
    await isFilled()
    await store.sweep()
    expect(await blobFiles()).toBe(0)
    await store.close()
  })

  it('reads nothing that somebody had erased, also if the replica still has it', async () => {
    const first = await openStore(join(home, 'first'), { replicas: [{ to, everyMs }] })
    const at = first.seq
    const kept = join(home, 'kept')
    await cp(join(to, 'blobs'), kept, { recursive: true })
    await first.erase({ bucket: 'box', key: 'large5', live: true })
    await first.close()
    await rm(join(to, 'blobs'), { recursive: true })
    await rename(kept, join(to, 'blobs'))
    await restore({ at })
    const reading = await openToRead()
    expect(await textOf(reading, 'large4')).toBe(large(4))
    await expect(textOf(reading, 'large5')).rejects.toMatchObject({ code: 'ObjectErased' })
    await reading.close()
    const store = await openStore(dir)
    await isFilled()
    expect(await blobFiles()).toBe(11)
    await expect(textOf(store, 'large5')).rejects.toMatchObject({ code: 'ObjectErased' })
    await store.close()
  })

  it('is copied whole', async () => {
    await restore()
    const copy = join(home, 'copy')
    expect(await backUpStore(dir, copy)).toMatchObject({ blobs: 12, absent: 0 })
    expect(await blobFiles(copy)).toBe(12)
  })

  it('is verified while it is closed, and is not migrated', async () => {
    await restore()
    expect((await verifyStore(dir)).divergences).toEqual([])
    await expect(migrateStore(dir, 'level+segments')).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: { kind: 'filling' },
    })
    expect(await blobFiles()).toBe(0)
  })
})
