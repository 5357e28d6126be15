import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageError } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { memoryJournal, memoryMedium } from '../level-journal/memory-journal.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { journals } from './journals.ts'
import { ownedJournal } from './owned-journal.ts'

const scratch = scratchDirectory()

describe('a journal in a database that lets several in', () => {
  it.each(['lmdb', 'sqlite'] as const)('%s: has one owner, and another when it is closed', async (kind) => {
    const path = scratch.next()
    await mkdir(path)
    const open = () => journals[kind].open(path, { createIfMissing: true })
    const journal = await open()
    // LMDB shares what one process opens twice; refusing the second does not affect the first.
    await expect(open()).rejects.toMatchObject({ code: 'StoreLocked' })
    await journal.commit({ expectedHead: 0, events: [Uint8Array.of(1)], rows: [] })
    await Promise.all([journal.close(), journal.close()])
    const next = await open()
    expect(await next.head()).toBe(1)
    await next.close()
  })

  it.each(['lmdb', 'sqlite'] as const)(
    '%s: goes on in a new file unless the old one is as it was left',
    async (kind) => {
      const path = scratch.next()
      await mkdir(path)
      const first = await journals[kind].open(path, { createIfMissing: true })
      await first.commit({ expectedHead: 0, events: [Uint8Array.of(1)], rows: [] })
      await first.close()
      const data = async () => (await readdir(path)).find((name) => journals[kind].files.isSealed(name)) ?? ''
      const identity = async () => (await stat(join(path, await data()), { bigint: true })).ino
      const [ino, bytes] = [await identity(), await readFile(join(path, await data()))]
      await (await journals[kind].open(path, { sealed: true })).close()
      expect(await identity()).toBe(ino)
      await (await journals[kind].open(path)).close()
      expect(await identity()).not.toBe(ino)
      expect((await readFile(join(path, await data()))).equals(bytes)).toBe(true)
      const again = await journals[kind].open(path)
      expect(await again.head()).toBe(1)
      await again.close()
    },
  )

  it('stays in its file where there is no room for another', async () => {
    const path = scratch.next()
    await mkdir(path)
    await (await journals.lmdb.open(path, { createIfMissing: true })).close()
    const open: FileSystem['open'] = (name, flags, mode) =>
      flags === 'wx'
        ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
        : nodeFileSystem.open(name, flags, mode)
    const journal = await journals.lmdb.open(path, { fs: { ...nodeFileSystem, open } })
    expect(await journal.head()).toBe(0)
    await journal.close()
  })

  const openFresh = async () => {
    const [path, medium] = [scratch.next(), memoryMedium()]
    await mkdir(path)
    const reopen = () => ownedJournal(path, () => memoryJournal(medium))
    return { instance: await reopen(), reopen }
  }
  for (const { name, run } of journalContract) it(`with a lock: ${name}`, () => run(openFresh))

  it('takes a lock that was damaged anew, and lets go of it when the journal does not open', async () => {
    const path = scratch.next()
    await mkdir(join(path, 'owner'), { recursive: true })
    await writeFile(join(path, 'owner', 'CURRENT'), 'nothing\n')
    const journal = await ownedJournal(path, memoryJournal)
    await journal.close()
    const failing = () => Promise.reject(new StorageError('LogCorrupt', 'The log is damaged.'))
    await expect(ownedJournal(path, failing)).rejects.toMatchObject({ code: 'LogCorrupt' })
    await (await ownedJournal(path, memoryJournal)).close()
  })
})
