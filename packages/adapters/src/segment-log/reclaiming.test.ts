/** Room is given back while reads and writes go on. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal, RowChange } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { openSegmentLog } from './open-segment-log.ts'

const scratch = scratchDirectory()
const sizes = { segmentBytes: 256 * 1024, reclaimBytes: 64 * 1024, openFilesMax: 1 } as const
const key = (i: number) => Uint8Array.of(i >> 8, i & 255)
const valueOf = (i: number) => new Uint8Array(8192).fill(i % 251)
const count = 100

async function filled() {
  const path = scratch.next()
  const journal = await openSegmentLog(path, { ...sizes, createIfMissing: true })
  for (let i = 0; i < count; i++) await change(journal, i, { key: key(i), value: valueOf(i) })
  await journal.settle()
  return { path, journal }
}

const change = (journal: Journal, head: number, row: RowChange) =>
  journal.commit({ expectedHead: head, events: [key(head)], rows: [row] })

async function removeMost(journal: Journal): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i % 10 !== 0) await change(journal, await journal.head(), { key: key(i), value: null })
  }
}

async function roomOf(path: string): Promise<{ readonly bytes: number; readonly blocks: number }> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.log'))
  const found = await Promise.all(names.map((name) => stat(join(path, name))))
  const sum = (pick: (each: (typeof found)[0]) => number) => found.reduce((total, each) => total + pick(each), 0)
  return { bytes: sum(({ size }) => size), blocks: sum(({ blocks }) => blocks * 512) }
}

/** Faster than `toEqual` on thousands of numbers. */
function expectValue(value: Uint8Array | undefined, number: number | undefined): void {
  expect(value === undefined).toBe(number === undefined)
  if (value !== undefined) expect(Buffer.compare(value, valueOf(number as number))).toBe(0)
}

async function assertWhole(journal: Journal): Promise<void> {
  for (let i = 0; i < count; i++) expectValue(await journal.get(key(i)), i % 10 === 0 ? i : undefined)
  let seq = 0
  for await (const event of journal.events()) expect(event.seq).toBe(++seq)
  expect(seq).toBe(await journal.head())
}

describe('a segment log with dead values', () => {
  it('gives their room back and keeps everything else where it was', async () => {
    const { path, journal } = await filled()
    const before = await roomOf(path)
    await removeMost(journal)
    await journal.settle()
    const after = await roomOf(path)
    expect(after.bytes).toBeGreaterThanOrEqual(before.bytes)
    if (process.platform === 'linux') expect(after.blocks).toBeLessThan(0.7 * before.blocks)
    expect((await readFile(join(path, '0000000001.log'))).includes(Buffer.from(valueOf(1)))).toBe(false)
    await assertWhole(journal)
    await journal.close()
    const again = await openSegmentLog(path, sizes)
    await assertWhole(again)
    await again.close()
  })

  it('still shows them to snapshots and cursors that were opened before', async () => {
    const { journal } = await filled()
    const snapshot = await journal.snapshot()
    const cursor = journal.cursor({ gte: key(0), lt: key(count) })
    const reverse = journal.cursor({ gte: key(0), lt: key(count), reverse: true })
    await removeMost(journal)
    await journal.settle()
    for (let i = 0; i < count; i++) expectValue(await snapshot.get(key(i)), i)
    const values = await snapshot.getMany(Array.from({ length: count }, (_, i) => key(i)))
    for (const [i, value] of values.entries()) expectValue(value, i)
    for (let i = 0; i < count; i++) expectValue((await cursor.next(1))[0]?.[1], i)
    for (let i = count - 1; i >= 0; i--) expectValue((await reverse.next(1))[0]?.[1], i)
    await Promise.all([snapshot.close(), cursor.close(), reverse.close()])
    await assertWhole(journal)
    await journal.close()
  })

  it('makes the views again from what is left', async () => {
    const { path, journal } = await filled()
    await removeMost(journal)
    await journal.settle()
    await journal.close()
    const views = scratch.next()
    const again = await openSegmentLog(path, {
      ...sizes,
      openViews: (_path, options) => openLevelDirectory(views, options),
    })
    await assertWhole(again)
    await again.close()
  })
})
