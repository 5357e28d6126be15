import type { RowCursor, RowRange } from '@varve/core'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { LevelDatabase, LevelIteratorOptions } from './level-database.ts'
import { levelJournal } from './level-journal.ts'
import { memoryMedium } from './memory-journal.ts'
import { openLevelDirectory } from './open-level-directory.ts'
import { SlowRanges } from './slow-ranges.ts'

const key = (text: string) => new TextEncoder().encode(text)
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const forwards = { from: key('b'), reverse: false }
const backwards = { from: key('b'), reverse: true }

/** A database with rows whose searches take `searchMs` each, and its calls of `compactRange`. The clock moves only then. */
async function slowDatabase({ rows = ['a', 'z'], searchMs = 10, compactMs = 100, fails = false } = {}) {
  const db = memoryMedium()
  await db.open()
  const batch = db.batch()
  for (const row of rows) batch.put(key(row), key('value'))
  await batch.write({ sync: false })
  const clock = { now: 0 }
  const state = { searches: 0, compacted: [] as string[] }
  const slow: LevelDatabase = Object.assign(Object.create(db) as LevelDatabase, {
    iterator(options: LevelIteratorOptions) {
      const iterator = db.iterator(options)
      return {
        nextv: (size: number) => iterator.nextv(size),
        seek(target: Uint8Array) {
          state.searches++
          clock.now += searchMs
          iterator.seek(target)
        },
        close: () => iterator.close(),
      }
    },
    async compactRange(from: Uint8Array, to: Uint8Array) {
      clock.now += compactMs
      state.compacted.push(`${text(from)} to ${text(to)}`)
      if (fails) throw new Error('The disk is full')
    },
  })
  return { state, clock, ranges: new SlowRanges(slow, () => clock.now) }
}

describe('ranges in which searches are slow', () => {
  it('compacts from the start of a search that is slow again to the row that it finds', async () => {
    const { state, ranges } = await slowDatabase({ rows: ['a', 'm', 'z'] })
    ranges.note([forwards], 10)
    await ranges.settled
    expect(state.compacted).toEqual(['b to m'])
  })

  it('compacts both sides of the start of a search backwards, which begins with one forwards', async () => {
    const { state, ranges } = await slowDatabase({ rows: ['a', 'm', 'z'] })
    ranges.note([backwards], 10)
    await ranges.settled
    expect(state.compacted).toEqual(['a to m'])
  })

  it.each([forwards, backwards])('compacts to the end of the database where no row is left', async (search) => {
    const { state, ranges } = await slowDatabase({ rows: [] })
    ranges.note([search], 10)
    await ranges.settled
    expect(state.compacted).toHaveLength(1)
  })

  it('leaves a range where the search is fast when it is made again', async () => {
    const { state, ranges } = await slowDatabase({ searchMs: 0.1 })
    ranges.note([forwards], 10)
    await ranges.settled
    expect(state).toEqual({ compacted: [], searches: 1 })
  })

  it('does not repeat a search that was fast', async () => {
    const { state, ranges } = await slowDatabase()
    ranges.note([forwards], 0.9)
    await ranges.settled
    expect(state.searches).toBe(0)
  })

  it('compacts one range at a time, and rests nine times as long', async () => {
    const { state, clock, ranges } = await slowDatabase()
    const note = async () => {
      ranges.note([forwards], 10)
      ranges.note([forwards], 10)
      await ranges.settled
    }
    await note()
    const took = clock.now
    await note()
    expect(state.compacted).toHaveLength(1)
    clock.now += 9 * took
    await note()
    expect(state.compacted).toHaveLength(2)
  })

  it('goes on after a compaction that fails', async () => {
    const { state, clock, ranges } = await slowDatabase({ fails: true })
    ranges.note([forwards], 10)
    await ranges.settled
    clock.now += 10_000
    ranges.note([forwards], 10)
    await ranges.settled
    expect(state.compacted).toHaveLength(2)
  })
})

const scratch = scratchDirectory()
const name = (i: number) => key(`row ${String(i).padStart(6, '0')}`)

/** A journal with rows 0 and 50,000, between which all others were deleted, and the number of its compactions. */
async function journalWithDeletedRows() {
  const db = await openLevelDirectory(scratch.next(), { createIfMissing: true })
  const state = { compactions: 0 }
  const compactRange = db.compactRange?.bind(db)
  db.compactRange = async (from, to) => {
    state.compactions++
    await compactRange?.(from, to)
  }
  const journal = await levelJournal(db)
  const names = Array.from({ length: 50_001 }, (_, i) => name(i))
  await journal.commit({ expectedHead: 0, events: [], rows: names.map((key) => ({ key, value: key })) })
  const deleted = names.slice(1, -1)
  await journal.commit({ expectedHead: 0, events: [], rows: deleted.map((key) => ({ key, value: null })) })
  return { journal, state }
}

describe('a journal in LevelDB with 50,000 deleted rows', () => {
  const all = { gte: name(0), lt: name(60_000) }
  const searches: Record<string, (cursor: RowCursor) => Promise<unknown>> = {
    'a walk from the start': (cursor) => cursor.next(1),
    'a seek': async (cursor) => {
      cursor.seek(name(1))
      return cursor.next(1)
    },
    'a walk that goes on': async (cursor) => {
      await cursor.next(1)
      return cursor.next(1)
    },
    'a page that ends before them': (cursor) => cursor.next(100),
  }
  const rangeOf: Record<string, RowRange> = {
    'a walk from the start': { gte: name(1), lt: name(60_000) },
    'a page that ends before them': { gte: name(0), lt: name(10) },
  }

  it.each(Object.entries(searches))('compacts them when %s steps over them', async (kind, search) => {
    const { journal, state } = await journalWithDeletedRows()
    for (let tries = 0; state.compactions === 0 && tries < 100; tries++) {
      const cursor = journal.cursor(rangeOf[kind] ?? all)
      await search(cursor)
      await cursor.close()
      await nextTurn()
    }
    await journal.close()
    expect(state.compactions).toBe(1)
  })

  it('compacts them when a walk backwards steps over them', async () => {
    const { journal, state } = await journalWithDeletedRows()
    for (let tries = 0; state.compactions === 0 && tries < 100; tries++) {
      const cursor = journal.cursor({ gte: name(0), lt: name(25_000), reverse: true })
      expect(await cursor.next(1)).toHaveLength(1)
      await cursor.close()
      await nextTurn()
    }
    await journal.close()
    expect(state.compactions).toBe(1)
  })

  it('keeps all other rows while it compacts, and can be closed meanwhile', async () => {
    const { journal, state } = await journalWithDeletedRows()
    const cursor = journal.cursor({ gte: name(1), lt: name(60_000) })
    while (state.compactions === 0) {
      cursor.seek(name(1))
      expect((await cursor.next(2)).map(([found]) => text(found))).toEqual([text(name(50_000))])
      await nextTurn()
    }
    await cursor.close()
    await journal.close()
  })
})
