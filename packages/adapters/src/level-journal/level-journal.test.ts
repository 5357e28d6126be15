import { isStorageError, type Journal } from '@varve/core'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import type { LevelDatabase } from './level-database.ts'
import { levelJournal } from './level-journal.ts'
import { memoryMedium } from './memory-journal.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const event = (expectedHead: number) => ({
  expectedHead,
  events: [bytes(1)],
  rows: [{ key: bytes(1), value: bytes(1) }],
})

/** A database whose methods are replaced by `faults`; what is not replaced works. */
const withFaults = (db: LevelDatabase, faults: Partial<LevelDatabase>): LevelDatabase =>
  new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(name in faults ? faults : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

const levelError = (code: string) => Object.assign(new Error(`The medium says ${code}`), { code })

async function codeOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return 'it succeeded'
  } catch (error) {
    return isStorageError(error) ? error.code : error
  }
}

describe('a journal whose database fails', () => {
  it('names a rejected batch, keeps its cause and takes no further commit', async () => {
    const medium = memoryMedium()
    const cause = levelError('LEVEL_IO_ERROR')
    let broken = true
    let writes = 0
    const db = withFaults(medium, {
      batch: () => {
        const batch = medium.batch()
        return Object.assign(Object.create(batch), {
          put: batch.put.bind(batch),
          write: async () => {
            writes++
            if (broken) throw cause
          },
        }) as typeof batch
      },
    })
    const journal = await levelJournal(db)
    await expect(journal.commit(event(0))).rejects.toMatchObject({
      code: 'JournalFailed',
      details: { kind: 'LEVEL_IO_ERROR' },
      cause,
    })
    broken = false
    for (const head of [0, 1]) {
      await expect(journal.commit(event(head))).rejects.toMatchObject({ code: 'JournalFailed', cause })
    }
    expect(writes).toBe(1)
    expect(await journal.head()).toBe(0)
    expect(await journal.get(bytes(1))).toBeUndefined()
    await journal.close()
    expect(await codeOf(() => journal.commit(event(0)))).toBe('JournalClosed')
  })

  it('refuses the commits that waited behind the one that failed', async () => {
    const medium = memoryMedium()
    const db = withFaults(medium, {
      batch: () => {
        const batch = medium.batch()
        batch.write = () => Promise.reject(levelError('LEVEL_IO_ERROR'))
        return batch
      },
    })
    const journal = await levelJournal(db)
    const outcomes = await Promise.allSettled([0, 0, 1].map((head) => journal.commit(event(head))))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'JournalFailed' } })
    await journal.close()
  })

  it('stops committing after a read the medium could not answer, never calling it missing', async () => {
    const medium = memoryMedium()
    let broken = false
    const db = withFaults(medium, {
      getSync: (key, options) => {
        if (broken) throw levelError('LEVEL_CORRUPTION')
        return medium.getSync(key, options)
      },
    })
    const journal = await levelJournal(db)
    await journal.commit(event(0))
    broken = true
    expect(await codeOf(async () => journal.get(bytes(1)))).toBe('JournalFailed')
    expect(await codeOf(() => journal.getMany([bytes(1)]))).toBe('JournalFailed')
    broken = false
    expect(await journal.get(bytes(1))).toEqual(bytes(1))
    expect(await codeOf(() => journal.commit(event(1)))).toBe('JournalFailed')
    await journal.close()
  })

  it('cannot be opened when the log cannot be read', async () => {
    const medium = memoryMedium()
    const iterator = medium.iterator.bind(medium)
    const failing = withFaults(medium, {
      iterator: (options) =>
        Object.assign(iterator(options), { nextv: () => Promise.reject(levelError('LEVEL_IO_ERROR')) }),
    })
    expect(await codeOf(() => levelJournal(failing))).toBe('JournalFailed')
  })

  it('refuses a log whose last key is no position', async () => {
    const medium = memoryMedium()
    await medium.open()
    const batch = medium.batch()
    batch.put(bytes(0, 1, 2), bytes(1))
    await batch.write({ sync: false })
    expect(await codeOf(() => levelJournal(medium))).toBe('LogCorrupt')
  })
})

describe('a journal over any database', () => {
  it('reads through the thread pool where there is no synchronous get', async () => {
    const medium = memoryMedium()
    const db = withFaults(medium, {
      supports: {},
      getSync: () => {
        throw new Error('There is no getSync here.')
      },
    })
    const journal = await levelJournal(db)
    await journal.commit(event(0))
    const snapshot = await journal.snapshot()
    for (const reader of [journal, snapshot]) {
      expect(await reader.get(bytes(1))).toEqual(bytes(1))
      expect(await reader.getMany([bytes(1), bytes(2)])).toEqual([bytes(1), undefined])
    }
    await journal.close()
  })

  it('requests stable storage by default', async () => {
    const requested: boolean[] = []
    const open = (options?: { sync: boolean }): Promise<Journal> => {
      const medium = memoryMedium()
      return levelJournal(
        withFaults(medium, {
          batch: () => {
            const batch = medium.batch()
            const write = batch.write.bind(batch)
            batch.write = (given) => {
              requested.push(given.sync)
              return write(given)
            }
            return batch
          },
        }),
        options,
      )
    }
    await (await open()).commit(event(0))
    await (await open({ sync: false })).commit(event(0))
    expect(requested).toEqual([true, false])
  })

  it('wants bytes for keys and values', async () => {
    const text = new MemoryLevel<string, string>()
    await expect(levelJournal(text as unknown as LevelDatabase)).rejects.toThrow(TypeError)
  })

  it('calls the use of a closed cursor or snapshot a mistake, and goes on', async () => {
    const journal = await levelJournal(memoryMedium())
    const cursor = journal.cursor({ gte: bytes(0), lt: bytes(9) })
    const snapshot = await journal.snapshot()
    await Promise.all([cursor.close(), snapshot.close()])
    await expect(cursor.next(1)).rejects.toThrow(TypeError)
    await expect(snapshot.get(bytes(1))).rejects.toThrow(TypeError)
    await journal.commit(event(0))
    await journal.close()
  })
})
