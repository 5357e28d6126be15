/** What a segment log makes of files that are not as it would have left them: torn, old, damaged, or gone. */
import { appendFile, open as openFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal } from '@varve/core'
import { describe, expect, it } from 'vitest'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { memoryMedium } from '../level-journal/memory-journal.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openSegmentLog, type SegmentLogOptions } from './open-segment-log.ts'

const scratch = scratchDirectory()
const bytes = (...values: number[]) => Uint8Array.from(values)
const everything = { gte: bytes(), lt: bytes(0xff) }
const lagging = { viewsBatchBytes: 1e9, viewsLagBytes: 1e9, longFrom: 20 } as const

async function commit(journal: Journal, number: number, value = new Uint8Array(25).fill(number)): Promise<void> {
  await journal.commit({ expectedHead: number - 1, events: [bytes(number)], rows: [{ key: bytes(number), value }] })
}

/** A log of so many commits, one group each, and its files as a kill at this moment leaves them: nothing of it in the views. */
async function killed(commits: number, options: SegmentLogOptions = {}) {
  const path = scratch.next()
  const journal = await openSegmentLog(path, { ...lagging, ...options, createIfMissing: true })
  for (let i = 1; i <= commits; i++) await commit(journal, i)
  const names = (await readdir(path)).filter((name) => name.endsWith('.log')).sort()
  const files = await Promise.all(names.map((name) => readFile(join(path, name))))
  await journal.close()
  await rm(join(path, 'views'), { recursive: true })
  const restore = async () => {
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true })
    for (const [i, name] of names.entries()) await writeFile(join(path, name), files[i] as Buffer)
  }
  await restore()
  return {
    path,
    names,
    files,
    restore,
    last: join(path, names.at(-1) as string),
    open: (more: SegmentLogOptions = {}) => openSegmentLog(path, { ...lagging, ...options, ...more }),
  }
}

async function contentsOf(journal: Journal): Promise<{ events: number[]; rows: number[] }> {
  const events: number[] = []
  for await (const { seq, bytes: event } of journal.events()) {
    expect(event).toEqual(bytes(seq))
    events.push(seq)
  }
  const cursor = journal.cursor(everything)
  const rows = (await cursor.next(1000)).map(([key, value]) => {
    expect(value).toEqual(new Uint8Array(25).fill(key[0] as number))
    return key[0] as number
  })
  await cursor.close()
  return { events, rows }
}

const upTo = (count: number) => {
  const all = Array.from({ length: count }, (_, i) => i + 1)
  return { events: all, rows: all }
}

describe('a segment log after a crash', () => {
  it('comes up with every whole commit, wherever its last one was torn', async () => {
    const { restore, last, open } = await killed(3)
    const { size } = await stat(last)
    const record = (size - 68) / 3
    for (let length = size - record; length < size; length += 11) {
      await restore()
      await truncate(last, length)
      const journal = await open()
      expect(await contentsOf(journal)).toEqual(upTo(2))
      await commit(journal, 3)
      await journal.close()
      const again = await open()
      expect(await contentsOf(again)).toEqual(upTo(3))
      await again.close()
    }
  })

  it('takes a commit for torn of which only a long value is not whole', async () => {
    const { restore, last, open } = await killed(3)
    const { size } = await stat(last)
    for (const back of [1, 12, 25]) {
      await restore()
      await flip(last, size - back)
      const journal = await open()
      expect(await contentsOf(journal)).toEqual(upTo(2))
      await journal.close()
    }
  })

  it('takes no bytes for a commit that were there before: zeros, other bytes, or commits of another time', async () => {
    const { restore, last, open, files } = await killed(3)
    const whole = files.at(-1) as Buffer
    const record = (whole.length - 68) / 3
    const tails = [
      Buffer.alloc(5000),
      Buffer.alloc(300, 0xab),
      whole.subarray(68),
      whole.subarray(whole.length - record),
    ]
    for (const tail of tails) {
      await restore()
      await appendFile(last, tail)
      const journal = await open()
      expect(await contentsOf(journal)).toEqual(upTo(3))
      await journal.close()
    }
  })

  it('goes on in a new segment, and in the same one after a clean close', async () => {
    const { path, open } = await killed(2)
    const segments = async () => (await readdir(path)).filter((name) => name.endsWith('.log')).length
    const journal = await open()
    await commit(journal, 3)
    expect(await segments()).toBe(2)
    await journal.close()
    for (let i = 4; i <= 6; i++) {
      const again = await open()
      await commit(again, i)
      expect(await contentsOf(again)).toEqual(upTo(i))
      await again.close()
    }
    expect(await segments()).toBe(2)
  })

  it('makes the views again from the log alone, over many segments', async () => {
    const { path, open } = await killed(40, { segmentBytes: 500 })
    const journal = await open()
    expect(await contentsOf(journal)).toEqual(upTo(40))
    await journal.close()
    await rm(join(path, 'views'), { recursive: true })
    const again = await open({ viewsBatchBytes: 300 })
    expect(await contentsOf(again)).toEqual(upTo(40))
    await again.close()
  })
})

describe('a damaged segment log', () => {
  it('is refused when a commit is damaged that a later one knows to have been durable', async () => {
    const { restore, last, open, files } = await killed(3)
    const whole = files.at(-1) as Buffer
    const record = (whole.length - 68) / 3
    for (let at = 68; at < 68 + 2 * record; at += 13) {
      await restore()
      await flip(last, at)
      await expect(open()).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'record', segment: 1 } })
    }
  })

  it('is refused when the header of a segment is damaged, or a segment is missing or too short', async () => {
    const { restore, path, names, open } = await killed(12, { segmentBytes: 300 })
    const [first, second] = names.map((name) => join(path, name)) as [string, string]
    for (const at of [0, 9, 13, 20, 33, 37, 41, 50, 65]) {
      await restore()
      await flip(second, at)
      await expect(open()).rejects.toMatchObject({ code: 'LogCorrupt', details: { segment: 2 } })
    }
    await restore()
    await rm(second)
    await expect(open()).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing', segment: 2 } })
    await restore()
    await truncate(first, 200)
    await expect(open()).rejects.toMatchObject({ code: 'LogCorrupt', details: { segment: 1 } })
  })

  it('is refused when it is shorter than the views know it to have been', async () => {
    const path = scratch.next()
    const journal = await openSegmentLog(path, { createIfMissing: true })
    for (let i = 1; i <= 3; i++) await commit(journal, i)
    await journal.close()
    const last = join(path, '0000000001.log')
    await truncate(last, (await stat(last)).size - 1)
    await expect(openSegmentLog(path)).rejects.toMatchObject({ code: 'LogCorrupt' })
    await rm(last)
    await expect(openSegmentLog(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing' } })
    await expect(openSegmentLog(path, { createIfMissing: true })).rejects.toMatchObject({ code: 'LogCorrupt' })
    await expect(openSegmentLog(scratch.next())).rejects.toMatchObject({
      code: 'LogCorrupt',
      details: { kind: 'missing' },
    })
  })

  it('leaves a gap where events cannot be found, and gives what is behind them', async () => {
    const { path, open, last } = await killed(5)
    await (await open()).close()
    const journal = await open()
    const { size } = await stat(last)
    const record = (size - 68) / 5
    await flip(join(path, '0000000001.log'), 68 + record + 9)
    const seen: number[] = []
    for await (const { seq } of journal.events()) seen.push(seq)
    expect(seen).toEqual([1, 3, 4, 5])
    await journal.close()
  })

  it('is refused when the views have no valid position', async () => {
    const path = scratch.next()
    const medium = memoryMedium()
    const openViews = async (): Promise<LevelDatabase> => {
      await medium.open()
      return medium
    }
    const journal = await openSegmentLog(path, { createIfMissing: true, openViews })
    await commit(journal, 1)
    await journal.close()
    await medium.open()
    const batch = medium.batch()
    const stored = Uint8Array.from(medium.getSync(bytes(0, 0)) as Uint8Array)
    stored[9] = (stored[9] as number) ^ 1
    batch.put(bytes(0, 0), stored)
    await batch.write({ sync: false })
    await expect(openSegmentLog(path, { openViews })).rejects.toMatchObject({
      code: 'LogCorrupt',
      details: { kind: 'views' },
    })
  })
})

async function flip(path: string, at: number): Promise<void> {
  const file = await openFile(path, 'r+')
  const one = Buffer.alloc(1)
  await file.read(one, 0, 1, at)
  one[0] = (one[0] as number) ^ 0x10
  await file.write(one, 0, 1, at)
  await file.close()
}
