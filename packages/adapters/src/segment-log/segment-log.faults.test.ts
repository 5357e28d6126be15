/** Every effect of a segment log fails once, in a run of its own: nothing that was acknowledged is lost, nothing is half there. */
import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { type FaultyFileSystem, failing, faultyFileSystem, systemError } from '../files/faulty-file-system.fixture.ts'
import { memoryMedium } from '../level-journal/memory-journal.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openSegmentLog, type SegmentLogOptions } from './open-segment-log.ts'
import type { SegmentJournal } from './segment-journal.ts'

const scratch = scratchDirectory()
const sizes = { segmentBytes: 400, longFrom: 20, viewsBatchBytes: 300, reclaimBytes: 50, openFilesMax: 2 } as const
const bytes = (...values: number[]) => Uint8Array.from(values)
const keyOf = (i: number) => bytes(1, i % 5)
const valueOf = (i: number) => new Uint8Array(30).fill(i)
const commits = 12

const commitOf = (i: number) => ({
  expectedHead: i,
  events: [bytes(i)],
  rows: [{ key: keyOf(i), value: i % 5 === 4 ? null : valueOf(i) }],
})

/** Opens, commits, reads, settles and closes; resolves with how many commits were acknowledged, and what failed. */
async function live(open: () => Promise<SegmentJournal>): Promise<{ acknowledged: number; failure?: unknown }> {
  let acknowledged = 0
  let journal: SegmentJournal | undefined
  try {
    journal = await open()
    for (let i = 0; i < commits; i++) {
      await journal.commit(commitOf(i))
      acknowledged++
      if (i % 4 === 3) {
        await journal.settle()
        await journal.get(keyOf(i - 1))
      }
    }
    for await (const event of journal.events()) expect(event.seq).toBeGreaterThan(0)
    return { acknowledged }
  } catch (failure) {
    return { acknowledged, failure }
  } finally {
    await journal?.close()
  }
}

async function assertHolds(journal: SegmentJournal, acknowledged: number): Promise<void> {
  const head = await journal.head()
  expect(head).toBeGreaterThanOrEqual(acknowledged)
  let seq = 0
  for await (const event of journal.events()) expect([event.seq, event.bytes[0]]).toEqual([++seq, seq - 1])
  expect(seq).toBe(head)
  for (let key = 0; key < 5; key++) {
    const last = Array.from({ length: head }, (_, i) => i).findLast((i) => i % 5 === key)
    const value = await journal.get(keyOf(key))
    if (last === undefined || key === 4) expect(value).toBeUndefined()
    else expect(value).toEqual(valueOf(last))
  }
}

function lifeOn({ fs }: FaultyFileSystem, options: SegmentLogOptions = {}) {
  const path = scratch.next()
  const medium = memoryMedium()
  const openViews = async () => {
    await medium.open()
    return medium
  }
  return {
    path,
    open: () => openSegmentLog(path, { ...sizes, createIfMissing: true, openViews, fs, ...options }),
    again: () => openSegmentLog(path, { ...sizes, createIfMissing: true, openViews }),
  }
}

describe('a segment log whose file system fails', () => {
  it.each(['EIO', 'ENOSPC', 'EMFILE', 'EROFS'])(
    'loses nothing when any call fails once with %s',
    async (errno) => {
      const sound = faultyFileSystem(() => undefined)
      expect(await live(lifeOn(sound).open)).toEqual({ acknowledged: commits })
      const calls = sound.trace.length
      expect(calls).toBeGreaterThan(60)
      for (let at = 1; at <= calls; at += errno === 'EIO' ? 1 : 5) {
        const faulty = faultyFileSystem((call) => {
          if (call.count === at) throw systemError(errno)
        })
        const { open, again } = lifeOn(faulty)
        const { acknowledged, failure } = await live(open)
        if (failure !== undefined) expect(isStorageError(failure), faulty.trace[at - 1]).toBe(true)
        expect(faulty.open(), `files left open, ${faulty.trace[at - 1]}`).toBe(0)
        const journal = await again()
        await assertHolds(journal, acknowledged)
        await journal.close()
      }
    },
    120_000,
  )

  it('goes on after writes that took only some of their bytes', async () => {
    const { open, again } = lifeOn(faultyFileSystem(() => undefined, 7))
    expect(await live(open)).toEqual({ acknowledged: commits })
    const journal = await again()
    await assertHolds(journal, commits)
    await journal.close()
  })

  it('takes no commit after a sync that failed, names the cause and never tries it again', async () => {
    const faulty = faultyFileSystem(failing('datasync', /\.log$/, 'EIO', 1))
    const { open } = lifeOn(faulty)
    const journal = await open()
    const cause = { code: 'EIO' }
    await expect(journal.commit(commitOf(0))).rejects.toMatchObject({ code: 'JournalFailed', cause })
    for (const head of [0, 1]) {
      await expect(journal.commit(commitOf(head))).rejects.toMatchObject({ code: 'JournalFailed', cause })
    }
    expect(faulty.trace.filter((call) => call.startsWith('datasync'))).toHaveLength(1)
    expect(await journal.head()).toBe(0)
    expect(await journal.get(keyOf(0))).toBeUndefined()
    await journal.close()
  })

  it('syncs what is written before it answers, and a new segment with its directory before it is written to', async () => {
    const faulty = faultyFileSystem(() => undefined)
    const journal = await lifeOn(faulty).open()
    const made = faulty.trace.filter((call) => /sync|rename/.test(call)).slice(-3)
    expect(made[0]).toBe('sync 0000000001.log.tmp')
    expect(made[1]).toBe('rename 0000000001.log.tmp')
    expect(made[2]).toMatch(/^sync \d+$/)
    await journal.commit(commitOf(0))
    expect(faulty.trace.slice(-2)).toEqual(['write 0000000001.log', 'datasync 0000000001.log'])
    await journal.close()
  })

  it('reports that no file can be opened for a read, and continues', async () => {
    let broken = false
    const faulty = faultyFileSystem(({ operation }) => {
      if (broken && operation === 'open') throw systemError('EMFILE')
    })
    const journal = await lifeOn(faulty, { openFilesMax: 0, segmentBytes: 1e6 }).open()
    await journal.commit(commitOf(0))
    await journal.settle()
    broken = true
    await expect(journal.get(keyOf(0))).rejects.toMatchObject({ code: 'TooManyOpenFiles' })
    broken = false
    expect(await journal.get(keyOf(0))).toEqual(valueOf(0))
    await journal.commit(commitOf(1))
    await journal.close()
  })

  it('ends all commits when the views cannot be written, and has them again when it is opened', async () => {
    const medium = memoryMedium()
    let broken = false
    const openViews = async () => {
      await medium.open()
      return new Proxy(medium, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return (...given: unknown[]) => {
            if (name === 'batch' && broken) throw systemError('EIO')
            return value.apply(target, given)
          }
        },
      })
    }
    const path = scratch.next()
    const open = () => openSegmentLog(path, { ...sizes, createIfMissing: true, openViews })
    const journal = await open()
    broken = true
    await journal.commit(commitOf(0))
    await journal.settle()
    await expect(journal.commit(commitOf(1))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await journal.get(keyOf(0))).toEqual(valueOf(0))
    await journal.close()
    broken = false
    const again = await open()
    await assertHolds(again, 1)
    await again.close()
  })
})
