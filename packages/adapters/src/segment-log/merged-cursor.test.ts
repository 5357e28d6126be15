/** A walk over memory, views and log together sees what a sorted list would show. */
import type { Journal, Row, RowChange } from '@varve/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryMedium } from '../level-journal/memory-journal.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openSegmentLog } from './open-segment-log.ts'

const scratch = scratchDirectory()
const keys = fc.uint8Array({ minLength: 1, maxLength: 2, max: 6 })
const change = fc.record({ key: keys, value: fc.option(fc.uint8Array({ maxLength: 12 }), { freq: 3 }) })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(change, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant('settle' as const) },
)
const move = fc.oneof(
  fc.record({ next: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ seek: keys }),
  fc.record({ commit: fc.array(change, { minLength: 1, maxLength: 4 }) }),
  fc.constant('settle' as const),
)

describe('a cursor of a segment log', () => {
  let journal: Journal & { settle(): Promise<void> }
  beforeAll(async () => {
    const medium = memoryMedium()
    journal = await openSegmentLog(scratch.next(), {
      createIfMissing: true,
      longFrom: 8,
      segmentBytes: 2000,
      reclaimBytes: 20,
      openFilesMax: 2,
      viewsBatchBytes: 1e9,
      openViews: async () => {
        await medium.open()
        return medium
      },
    })
  })
  afterAll(() => journal.close())

  const apply = async (rows: readonly RowChange[]) => journal.commit({ expectedHead: 0, events: [], rows })

  it('shows one state, both ways, wherever its rows are and whatever happens meanwhile', async () => {
    const scenario = {
      steps: fc.array(step, { maxLength: 6 }),
      moves: fc.array(move, { maxLength: 8 }),
      bounds: fc.tuple(keys, keys),
      reverse: fc.boolean(),
      held: fc.boolean(),
    }
    await fc.assert(
      fc.asyncProperty(fc.record(scenario), async ({ steps, moves, bounds, reverse, held }) => {
        for (const each of steps) await (each === 'settle' ? journal.settle() : apply(each))
        const [gte, lt] = bounds
        const all = await everyRow(journal)
        const inRange = all.filter(([key]) => Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0)
        const rows = reverse ? inRange.reverse() : inRange
        const snapshot = await journal.snapshot()
        const cursor = (held ? snapshot : journal).cursor({ gte, lt, reverse })
        let at = 0
        for (const each of moves) {
          if (each === 'settle') await journal.settle()
          else if ('commit' in each) await apply(each.commit)
          else if ('next' in each) {
            const seen = await cursor.next(each.next)
            expect(seen).toEqual(rows.slice(at, at + seen.length))
            expect(seen.length > 0 || at === rows.length).toBe(true)
            at += seen.length
          } else {
            cursor.seek(each.seek)
            const found = rows.findIndex(([key]) => Buffer.compare(key, each.seek) * (reverse ? -1 : 1) >= 0)
            at = found < 0 ? rows.length : found
          }
        }
        await Promise.all([cursor.close(), snapshot.close()])
      }),
      { numRuns: 120 },
    )
  })
})

/** Key by key, so that no cursor is judged by another. */
async function everyRow(journal: Journal): Promise<Row[]> {
  const rows: Row[] = []
  for (let first = 0; first <= 6; first++) {
    const candidates = [Uint8Array.of(first), ...Array.from({ length: 7 }, (_, second) => Uint8Array.of(first, second))]
    const values = await journal.getMany(candidates)
    for (const [i, value] of values.entries()) if (value !== undefined) rows.push([candidates[i] as Uint8Array, value])
  }
  return rows
}
