/** Nothing is left of purged rows in the segments and the views, and everything else stays where it was. */
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError, type Journal, type RowChange } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { faultyFileSystem, systemError } from '../files/faulty-file-system.fixture.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openSegmentLog } from './open-segment-log.ts'

const scratch = scratchDirectory()
const sizes = { segmentBytes: 8 * 1024, longFrom: 200 } as const
const count = 60
const key = (i: number) => Uint8Array.of(7, i)
/** Short values, long ones, and some that are hardly longer than the four bytes that make the checksum come out. */
const valueOf = (i: number) => Buffer.from(`value ${i} `.repeat(i % 3 === 0 ? 60 : i % 3 === 1 ? 5 : 1))
const change = async (journal: Journal, ...rows: RowChange[]) => {
  const head = await journal.head()
  await journal.commit({ expectedHead: head, events: [Uint8Array.of(1, head)], rows })
}

async function filled(options = {}) {
  const path = scratch.next()
  const journal = await openSegmentLog(path, { ...sizes, ...options, createIfMissing: true })
  for (let i = 0; i < count; i += 2) {
    await change(journal, ...[i, i + 1].map((n) => ({ key: key(n), value: valueOf(n) })))
  }
  return { path, journal }
}

async function filesWith(path: string, values: readonly Uint8Array[]): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((each) => each.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name))
    if (values.some((value) => bytes.includes(Buffer.from(value)))) found.push(entry.name)
  }
  return found
}

async function assertWhole(journal: Journal, gone: readonly number[]): Promise<void> {
  for (let i = 0; i < count; i++) {
    const value = await journal.get(key(i))
    expect(value && Buffer.from(value).toString()).toBe(gone.includes(i) ? undefined : valueOf(i).toString())
  }
  let seq = 0
  for await (const event of journal.events()) expect(event.seq).toBe(++seq)
  expect(seq).toBe(await journal.head())
}

const gone = [0, 1, 2, 3, 4, 31, count - 3, count - 2, count - 1]
const keys = gone.map(key)
const values = gone.map(valueOf)

describe('a segment log', () => {
  it('has nothing of purged rows in any file, and has all others, also after openings', async () => {
    const { path, journal } = await filled()
    expect(await filesWith(path, values)).not.toEqual([])
    expect(await journal.purge?.(keys)).toBe(true)
    expect(await filesWith(path, values)).toEqual([])
    await assertWhole(journal, gone)
    await change(journal, { key: key(200), value: valueOf(1) })
    await journal.close()
    expect(await filesWith(path, values.slice(0, 1))).toEqual([])
    const again = await openSegmentLog(path, sizes)
    await assertWhole(again, gone)
    expect(await again.purge?.(keys)).toBe(true)
    await again.close()
  })

  it('makes the views again from what is left', async () => {
    const { path, journal } = await filled()
    await journal.purge?.(keys)
    await journal.close()
    const views = scratch.next()
    const openViews: typeof openLevelDirectory = (_, options) => openLevelDirectory(views, options)
    const again = await openSegmentLog(path, { ...sizes, openViews })
    await assertWhole(again, gone)
    await again.close()
  })

  it('copies no segment again that has nothing of the rows', async () => {
    const renamed: string[] = []
    const fs = {
      ...nodeFileSystem,
      async rename(from: string, to: string) {
        renamed.push(to)
        await nodeFileSystem.rename(from, to)
      },
    }
    const { path, journal } = await filled({ fs })
    await journal.purge?.(keys)
    const before = renamed.length
    expect(await journal.purge?.(keys)).toBe(true)
    expect(renamed.slice(before)).toEqual([])
    expect(await filesWith(path, values)).toEqual([])
    await journal.close()
  })

  it('has nothing of what a crash left behind the records of a segment', async () => {
    const { path, journal } = await filled()
    await journal.close()
    const [first = ''] = (await readdir(path)).filter((name) => name.endsWith('.log')).toSorted()
    await appendFile(join(path, first), Buffer.concat(values))
    const again = await openSegmentLog(path, sizes)
    expect(await again.purge?.(keys)).toBe(true)
    expect(await filesWith(path, values)).toEqual([])
    await assertWhole(again, gone)
    await again.close()
  })

  it('is not purged while a reader keeps an older state, which it still shows, and is purged later', async () => {
    const { path, journal } = await filled()
    const snapshot = await journal.snapshot()
    expect(await journal.purge?.(keys)).toBe(false)
    for (const i of gone) expect(Buffer.from((await snapshot.get(key(i))) ?? [])).toEqual(valueOf(i))
    await snapshot.close()
    expect(await journal.purge?.(keys)).toBe(true)
    expect(await filesWith(path, values)).toEqual([])
    await assertWhole(journal, gone)
    await journal.close()
  })

  it('loses nothing when any call of a purge fails once, and is purged later', async () => {
    let count = 0
    let failAt = 0
    const { fs } = faultyFileSystem(() => {
      if (++count === failAt) throw systemError('EIO')
    })
    const sound = await filled({ fs })
    count = 0
    await sound.journal.purge?.(keys)
    const calls = count
    await sound.journal.close()
    expect(calls).toBeGreaterThan(30)
    for (let at = 1; at <= calls; at++) {
      const { path, journal } = await filled({ fs })
      ;[count, failAt] = [0, at]
      const purged = await journal.purge?.(keys).catch((error: unknown) => error)
      const call = `call ${at} of ${calls}`
      if (typeof purged !== 'boolean') expect(isStorageError(purged), call).toBe(true)
      failAt = 0
      await journal.close()
      const again = await openSegmentLog(path, { ...sizes, fs })
      expect(await again.purge?.(keys), call).toBe(true)
      expect(await filesWith(path, values), call).toEqual([])
      await assertWhole(again, gone)
      await again.close()
    }
  }, 60_000)

  it('commits while it purges', async () => {
    const { path, journal } = await filled()
    const purging = journal.purge?.(keys)
    for (let i = 100; i < 140; i++) await change(journal, { key: key(i), value: valueOf(i) })
    expect(await purging).toBe(true)
    expect(await filesWith(path, values)).toEqual([])
    for (let i = 100; i < 140; i++) expect(await journal.get(key(i))).toBeDefined()
    await assertWhole(journal, gone)
    await journal.close()
  })
})
