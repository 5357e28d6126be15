import { journalContract } from '@varve/core/contracts'
import { describe, it } from 'vitest'
import { memoryMedium } from '../level-journal/memory-journal.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
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
})

describe('a segment log over views that cannot be asked at once', () => {
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
