import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryMedium } from '../level-journal/memory-journal.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { twoEngines } from '../two-engines.fixture.ts'
import { openSegmentLog, type SegmentLogOptions } from './open-segment-log.ts'

const scratch = scratchDirectory()

/** Sizes at which every way through the code is taken by a few commits. */
const shapes: Readonly<Record<string, SegmentLogOptions>> = {
  'as it comes': {},
  'with everything small': { segmentBytes: 300, longFrom: 2, viewsBatchBytes: 200, reclaimBytes: 1, openFilesMax: 2 },
  'with views that lag': { viewsBatchBytes: 1e9, viewsLagBytes: 1e9 },
}

describe.each(Object.entries(shapes))('a segment log %s', (_, options) => {
  const openFresh = async () => {
    const path = scratch.next()
    const open = () => openSegmentLog(path, { ...options, createIfMissing: true })
    return { instance: await open(), reopen: open }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))
})

describe('a segment log over views without synchronous reads', () => {
  const openFresh = async () => {
    const path = scratch.next()
    const medium = memoryMedium()
    const slow = new Proxy(medium, {
      get(target, name) {
        if (name === 'supports') return {}
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const openViews = async () => {
      await medium.open()
      return slow
    }
    const open = () => openSegmentLog(path, { longFrom: 2, viewsBatchBytes: 200, createIfMissing: true, openViews })
    return { instance: await open(), reopen: open }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
})

describe('a segment log', () => {
  it('calls the use of a closed cursor or snapshot a mistake, and goes on', async () => {
    const journal = await openSegmentLog(scratch.next(), { createIfMissing: true })
    const [key, range] = [Uint8Array.of(1), { gte: Uint8Array.of(0), lt: Uint8Array.of(9) }]
    await journal.commit({ expectedHead: 0, events: [], rows: [{ key, value: key }] })
    const cursor = journal.cursor(range)
    const snapshot = await journal.snapshot()
    const held = snapshot.cursor(range)
    await Promise.all([cursor.close(), snapshot.close()])
    await expect(cursor.next(1)).rejects.toThrow(TypeError)
    await expect(held.next(1)).rejects.toThrow(TypeError)
    await expect(snapshot.get(key)).rejects.toThrow(TypeError)
    await expect(snapshot.getMany([key])).rejects.toThrow(TypeError)
    await held.close()
    await journal.commit({ expectedHead: 0, events: [key], rows: [] })
    await journal.close()
  })

  it('does not grow by rows outside the log, and loses only them when the views are lost', async () => {
    const path = scratch.next()
    const journal = await openSegmentLog(path, { createIfMissing: true })
    const [key, cursor] = [Uint8Array.of(1), Uint8Array.of(2)]
    await journal.commit({ expectedHead: 0, events: [key], rows: [{ key, value: key }] })
    const segment = join(path, (await readdir(path)).find((name) => name.endsWith('.log')) as string)
    const { size } = await stat(segment)
    for (let i = 0; i < 20; i++) {
      await journal.commit({
        events: [],
        rows: [{ key: cursor, value: new Uint8Array(5000).fill(i) }],
        outsideLog: true,
      })
    }
    expect((await stat(segment)).size).toBe(size)
    await journal.close()
    await rm(join(path, 'views'), { recursive: true })
    const again = await openSegmentLog(path)
    expect((await again.getMany([key, cursor])).map((value) => value?.[0])).toEqual([1, undefined])
    await again.close()
  })

  it('writes the commits of one group in their order, in the log or outside of it', async () => {
    const journal = await openSegmentLog(scratch.next(), { createIfMissing: true })
    const [lease, key] = [Uint8Array.of(1), Uint8Array.of(2)]
    const [one, two] = [
      { key: lease, value: Uint8Array.of(1) },
      { key: lease, value: Uint8Array.of(2) },
    ]
    const outcomes = await Promise.allSettled([
      journal.commit({ events: [], rows: [one], outsideLog: true }),
      journal.commit({ expectedHead: 0, expectedRows: [one], events: [key], rows: [{ key, value: key }] }),
      journal.commit({ expectedRows: [one, { key, value: key }], events: [], rows: [two], outsideLog: true }),
      journal.commit({ expectedHead: 1, expectedRows: [one], events: [key], rows: [] }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect([await journal.head(), (await journal.get(lease))?.[0]]).toEqual([1, 2])
    await journal.close()
  })

  it('keeps a row in the views or in the log by its length, and reads both at once', async () => {
    const path = scratch.next()
    const journal = await openSegmentLog(path, { createIfMissing: true })
    const rows = [0, 1, 1023, 1024, 65_536, 65_537, 300_000].map((length, i) => ({
      key: Uint8Array.of(i),
      value: new Uint8Array(length).fill(i),
    }))
    await journal.commit({ expectedHead: 0, events: [], rows })
    for (const settled of [false, true]) {
      if (settled) await journal.settle()
      const keys = rows.map(({ key }) => key)
      for (const values of [
        await journal.getMany(keys),
        await Promise.all(keys.map(async (key) => journal.get(key))),
      ]) {
        for (const [i, value] of values.entries()) {
          expect(Buffer.compare(value as Uint8Array, (rows[i] as (typeof rows)[0]).value)).toBe(0)
        }
      }
    }
    await journal.close()
  })
})
