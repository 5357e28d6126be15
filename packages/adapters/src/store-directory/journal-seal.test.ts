import { appendFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failing, faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory, type StoreDirectoryOptions } from './open-store-directory.ts'
import { unsealJson } from './sealed-json.ts'

const scratch = scratchDirectory()

/** Opens, adds an event, and closes, saying or not that all was well. */
async function use(path: string, { sound = true, ...options }: StoreDirectoryOptions & { sound?: boolean } = {}) {
  const store = await openStoreDirectory(path, options)
  await store.markReady()
  if (sound) store.markSound()
  await store.journal.commit({ expectedHead: await store.journal.head(), events: [Uint8Array.of(7)], rows: [] })
  await store.close()
  return store.sealed
}

async function sealedStore(): Promise<string> {
  const path = scratch.next()
  for (let i = 0; i < 3; i++) await use(path)
  return path
}

const sealOf = async (path: string) => unsealJson(await readFile(join(path, 'seal'), 'utf8'))
const filesOf = async (path: string, form: RegExp) =>
  (await readdir(join(path, 'events'))).filter((name) => form.test(name))

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] as number) ^ 0x10
  await writeFile(path, bytes)
}

const refusal = (file: string) => ({ code: 'LogCorrupt', details: { kind: 'files', file } })

describe('the seal of a log', () => {
  it('vouches for every file of a store that was closed', async () => {
    const path = await sealedStore()
    const { closed, files } = (await sealOf(path)) as { closed: boolean; files: [string, number, number][] }
    expect(closed).toBe(true)
    expect(files.map(([name]) => name)).toEqual((await filesOf(path, /^(CURRENT|MANIFEST.*|.*\.(ldb|log))$/)).sort())
    expect(await use(path)).toBe(true)
  })

  it.each([/^CURRENT$/, /^MANIFEST/, /\.ldb$/, /\.log$/])('names the first of %s that changed', async (form) => {
    const path = await sealedStore()
    const [name = ''] = await filesOf(path, form)
    await flip(join(path, 'events', name))
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal(name))
    await expect(openStoreDirectory(path, { check: 'bytes' })).rejects.toMatchObject(refusal(name))
    await appendFile(join(path, 'events', name), 'x')
    await expect(openStoreDirectory(path, { check: 'sizes' })).rejects.toMatchObject(refusal(name))
    await rm(join(path, 'events', name))
    await expect(openStoreDirectory(path, { check: 'sizes' })).rejects.toMatchObject(refusal(name))
  })

  it('notices a file that was not there', async () => {
    const path = await sealedStore()
    await writeFile(join(path, 'events', '999999.log'), '')
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal('999999.log'))
  })

  it('is itself sealed', async () => {
    const path = await sealedStore()
    await flip(join(path, 'seal'))
    const refused = { code: 'LogCorrupt', details: { kind: 'seal' } }
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refused)
    const store = await openStoreDirectory(path, { check: 'none' })
    expect(store.sealed).toBe(false)
    await store.close()
  })

  it('survives being copied with the store, and its absence', async () => {
    const path = await sealedStore()
    const copy = scratch.next()
    await cp(path, copy, { recursive: true, filter: (name) => !name.endsWith('LOCK') })
    expect(await use(copy)).toBe(true)
    await rm(join(path, 'seal'))
    expect(await use(path)).toBe(false)
    expect(await use(path)).toBe(true)
  })

  it('is not made by an owner that never confirmed a sound store', async () => {
    const path = await sealedStore()
    await use(path, { sound: false })
    expect(await sealOf(path)).toMatchObject({ closed: false })
    expect(await use(path)).toBe(false)
    expect(await use(path)).toBe(true)
  })

  it('holds the tables of a store that crashed, those that are still there', async () => {
    const path = await sealedStore()
    await use(path, { sound: false })
    const { files } = (await sealOf(path)) as { files: [string][] }
    const names = files.map(([name]) => name)
    expect(names.length).toBeGreaterThan(0)
    expect(names.every((name) => name.endsWith('.ldb'))).toBe(true)
    const [table = ''] = names
    await flip(join(path, 'events', table))
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal(table))
    await rm(join(path, 'events', table))
    // LevelDB reports that it is missing; the seal does not, since tables are merged into others.
    await expect(openStoreDirectory(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'damaged' } })
  })

  it.each(['closed', 'crashed'])(
    'takes no table for what closing left unfinished under its name (then %s)',
    async (end) => {
      const path = await sealedStore()
      const store = await openStoreDirectory(path)
      await store.markReady()
      store.markSound()
      await store.journal.commit({ expectedHead: await store.journal.head(), events: [Uint8Array.of(7)], rows: [] })
      // What a compaction was making: the manifest does not name it, so LevelDB gives its number to the next one.
      const newest = Math.max(...(await filesOf(path, /\d/)).map((name) => Number(/\d+/.exec(name)?.[0])))
      for (let ahead = 1; ahead <= 8; ahead++) {
        const name = `${String(newest + ahead).padStart(6, '0')}.ldb`
        await writeFile(join(path, 'events', name), 'unfinished')
      }
      await store.close()
      for (let life = 0; life < 3; life++) expect(await use(path)).toBe(true)
      if (end === 'closed') return
      const living = await openStoreDirectory(path)
      const copy = scratch.next()
      await cp(path, copy, { recursive: true })
      await living.close()
      expect(await use(copy)).toBe(false)
      expect(await use(copy)).toBe(true)
    },
  )

  it('is not needed for tables made since, or for any where it is gone: they have checksums of their own', async () => {
    const path = await sealedStore()
    const before = await filesOf(path, /\.ldb$/)
    for (let i = 0; i < 3; i++) await use(path, { sound: false })
    const [made = ''] = (await filesOf(path, /\.ldb$/)).filter((name) => !before.includes(name))
    await flip(join(path, 'events', made))
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal(made))
    await rm(join(path, 'seal'))
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal(made))
    await flip(join(path, 'events', made))
    expect(await use(path)).toBe(false)
  })

  it('gives the position LevelDB replays from after a crash, if its tables were checked', async () => {
    const path = await sealedStore()
    const living = await openStoreDirectory(path)
    expect(living.replayedFrom).toBeUndefined()
    await living.journal.commit({ expectedHead: 3, events: [Uint8Array.of(7), Uint8Array.of(7)], rows: [] })
    const copies = [scratch.next(), scratch.next()] as const
    for (const copy of copies) await cp(path, copy, { recursive: true })
    await living.close()
    for (const [i, check] of (['bytes', 'sizes'] as const).entries()) {
      const copy = copies[i] as string
      for (const expected of [check === 'bytes' ? 4 : undefined, undefined]) {
        // LevelDB has moved the log into a table once it was read back. If the process stopped before the check, the
        // position to replay from is unknown.
        const store = await openStoreDirectory(copy, { check })
        expect(store.replayedFrom).toBe(expected)
        await store.close()
      }
    }
  })

  it.each([
    ['lmdb+files', 'log.mdb'],
    ['sqlite+files', 'log.sqlite'],
  ] as const)('vouches for a log of layout %s, in %s', async (layout, name) => {
    const path = scratch.next()
    for (const sealed of [false, true, true]) expect(await use(path, { layout })).toBe(sealed)
    expect(await sealOf(path)).toMatchObject({ closed: true, files: [[name, expect.any(Number), expect.any(Number)]] })
    await use(path, { sound: false })
    expect(await sealOf(path)).toMatchObject({ closed: false, files: [] })
    expect(await use(path)).toBe(false)
    await flip(join(path, 'events', name))
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal(name))
    await rm(join(path, 'events', name))
    await expect(openStoreDirectory(path)).rejects.toMatchObject(refusal(name))
  })

  it('is taken away where it cannot be written: the store looks crashed, and nothing else', async () => {
    const path = await sealedStore()
    const { fs } = faultyFileSystem(failing('open', /^seal\.tmp$/, 'ENOSPC'))
    expect(await use(path, { fs })).toBe(true)
    expect(await readdir(path)).not.toContain('seal')
    expect(await use(path)).toBe(false)
  })
})
