import type { RowRange, RowReader } from '@varve/core'
import { MemoryLevel } from 'memory-level'
import { afterEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { LevelDatabase } from './level-database.ts'
import { levelJournal } from './level-journal.ts'
import { openLevelDirectory } from './open-level-directory.ts'

const scratch = scratchDirectory()
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const plain = ['a', 'b', 'c'.repeat(300), 'd/1', 'd/2', 'z'].map(encode)
const wide = ['\u00e9', '\u4e2d', '\u{1f600}', 'a\0b', '\ufeff'].map(encode)
/** Not UTF-8, or with the character that stands for bytes that are not. */
const unclear = [
  Uint8Array.of(0x62, 0x00, 0xff),
  Uint8Array.of(0x63, 0xff),
  Uint8Array.of(0x63, 0xfe),
  encode('q\ufffd'),
]
const everything: RowRange = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const openLevel = () => openLevelDirectory(scratch.next(), { createIfMissing: true })

async function holding(keys: readonly Uint8Array[], db?: LevelDatabase): Promise<RowReader> {
  const journal = await levelJournal(db ?? (await openLevel()))
  const rows = keys.map((key) => ({ key, value: Uint8Array.of(key.length) }))
  await journal.commit({ expectedHead: 0, events: [encode('event')], rows })
  const snapshot = await journal.snapshot()
  // Later rows are not in the snapshot, whichever way its keys are read.
  await journal.commit({ expectedHead: 1, events: [], rows: [{ key: encode('d/3'), value: Uint8Array.of(1) }] })
  closers.push(async () => {
    await snapshot.close()
    await journal.close()
  })
  return snapshot
}

async function read(rows: RowReader, range: RowRange, count: number, seekTo?: Uint8Array) {
  const cursor = rows.cursor(range)
  const found: string[] = []
  try {
    for (let isFirst = true; ; isFirst = false) {
      const page = await cursor.next(count)
      if (page.length === 0) return found
      for (const [key, value] of page) {
        expect(key.constructor).toBe(Uint8Array)
        found.push(`${Buffer.from(key).toString('hex')}=${value.join()}`)
      }
      if (isFirst && seekTo !== undefined) cursor.seek(seekTo)
    }
  } finally {
    await cursor.close()
  }
}

describe('keys that are read as text', () => {
  it.each([
    ['ASCII', plain],
    ['all of UTF-8', [...plain, ...wide]],
    ['partly no text', [...plain, ...wide, ...unclear]],
    ['all no text', unclear],
    ['none', []],
  ])('are the bytes of the keys if they are %s', async (_, keys) => {
    const rows = await holding(keys)
    for (const count of [1, 2, 3, 100]) {
      const bytes = await read(rows, everything, count)
      expect(bytes).toHaveLength(keys.length)
      expect(await read(rows, { ...everything, keysAreText: true }, count)).toEqual(bytes)
      for (const place of [encode('d'), encode('c~'), Uint8Array.of(0x63, 0xff), Uint8Array.of(0xff), encode('zz')]) {
        const sought = await read(rows, everything, count, place)
        expect(await read(rows, { ...everything, keysAreText: true }, count, place)).toEqual(sought)
      }
    }
  })

  it('are read as bytes from a database that has no text', async () => {
    const db = new MemoryLevel<Uint8Array, Uint8Array>({ keyEncoding: 'view', valueEncoding: 'view' })
    const rows = await holding([...plain, ...wide, ...unclear], db as unknown as LevelDatabase)
    expect(await read(rows, { ...everything, keysAreText: true }, 3)).toEqual(await read(rows, everything, 3))
  })

  it('are requested from LevelDB', async () => {
    const db = await openLevel()
    const seen: unknown[] = []
    const iterator = db.iterator.bind(db)
    db.iterator = (options) => {
      seen.push(options.keyEncoding?.name)
      return iterator(options)
    }
    await read(await holding(plain, db), { ...everything, keysAreText: true }, 2)
    expect(seen.filter((name) => name !== undefined)).toEqual(['varve-text-keys'])
  })

  it('are read backwards too', async () => {
    const rows = await holding([...plain, ...unclear])
    const backwards = await read(rows, { ...everything, reverse: true }, 2)
    expect(await read(rows, { ...everything, reverse: true, keysAreText: true }, 2)).toEqual(backwards)
  })

  it('are no longer read when the cursor is closed', async () => {
    const rows = await holding(unclear)
    const cursor = rows.cursor({ ...everything, keysAreText: true })
    const reading = cursor.next(10).catch((error: unknown) => error)
    await cursor.close()
    await reading
    await expect(cursor.next(1)).rejects.toThrow(TypeError)
  })
})
