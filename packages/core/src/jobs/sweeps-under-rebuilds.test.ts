import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine, openForMaintenance } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { compareBytes } from '../bytes/bytes.ts'
import type { StorePorts } from '../engine/store-ports.ts'
import type { Commit, RowCursor, RowRange, RowSnapshot } from '../ports/index.ts'
import { garbageTable } from '../views/content-tables.ts'

const options = { inlineMax: 64 }
const retentionMs = 1000
const long = 'v'.repeat(1000)
let ports: MemoryPorts
let one: Store
let two: Store

/** A timer whose pauses last one turn of the event loop. */
const timer = {
  pause: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => setImmediate(() => (signal?.aborted ? reject(signal.reason) : resolve()))),
  nextTurn: () => new Promise<void>((resolve) => setImmediate(resolve)),
}

/** The rebuild of the second engine, which stops after it dropped the views until `resume` is called. */
function rebuildOfTwo(): { begin(): Promise<void>; resume(): void; end(): Promise<void> } {
  const { commit } = ports.journal
  let rebuilding: Promise<void> | undefined
  let [resume, dropped] = [() => {}, () => {}]
  const resumed = new Promise<void>((resolve) => (resume = resolve))
  const isDropped = new Promise<void>((resolve) => (dropped = resolve))
  ports.journal.commit = async (given: Commit) => {
    const isOfViews = given.events.length === 0 && given.outsideLog !== true
    if (isOfViews && given.rows.some(({ value }) => value !== null)) await resumed
    await commit(given)
    if (isOfViews) dropped()
  }
  return {
    begin: () => {
      rebuilding ??= two.rebuild()
      return isDropped
    },
    resume,
    end: async () => rebuilding,
  }
}

beforeEach(async () => {
  ports = memoryPorts()
  ports.journal.exclusive = false
})

afterEach(async () => {
  await Promise.all([one.close(), two.close()])
})

async function open(of: Partial<StorePorts> = {}): Promise<void> {
  one = await openEngine({ ...ports, timer, ...of }, { ...options, retentionMs })
  // It erases nothing, so its rebuild waits for no sweep.
  two = await openForMaintenance({ ...ports, timer }, options)
  await one.buckets.create('box')
}

describe('while another engine computes the views', () => {
  it('a sweep finds all parts of what it erases', async () => {
    const remove = ports.blobs.delete
    const rebuild = rebuildOfTwo()
    let isArmed = false
    /** The rebuild begins when the garbage was read, and its parts were not. */
    const begun = (range: RowRange, cursor: RowCursor): RowCursor => ({
      ...cursor,
      next: async (count) => {
        const rows = await cursor.next(count)
        if (isArmed && rows.length > 0 && compareBytes(range.gte, garbageTable.range.gte) === 0) await rebuild.begin()
        return rows
      },
    })
    const watched = <R extends { cursor(range: RowRange): RowCursor }>(reader: R): R => ({
      ...reader,
      cursor: (range: RowRange) => begun(range, reader.cursor(range)),
    })
    const journal = {
      ...watched(ports.journal),
      commit: (given: Commit) => ports.journal.commit(given),
      snapshot: (): RowSnapshot => watched(ports.journal.snapshot()),
    }
    const blobs = {
      ...ports.blobs,
      async delete(ids: readonly string[]) {
        await remove(ids)
        rebuild.resume()
      },
    }
    await open({ journal, blobs })
    const upload = await one.uploads.create('box', 'k')
    for (const number of [1, 2, 3]) await one.uploads.uploadPart(upload, number, long)
    await one.uploads.abort(upload)
    ports.clock.time += retentionMs + 1
    // The other engine follows the log, and shows that no read of it needs the bytes.
    for (let turn = 0; turn < 20; turn++) await timer.nextTurn()
    isArmed = true
    await one.sweep()
    await rebuild.end()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await one.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })

  it('the blobs of a worker that died stay, if a commit names them', async () => {
    await open()
    await one.objects.put('box', 'k', long)
    const rebuild = rebuildOfTwo()
    await rebuild.begin()
    const releasing = one.owner.releaseMarks([...ports.blobs.bytes.keys()])
    for (let turn = 0; turn < 5; turn++) await timer.nextTurn()
    rebuild.resume()
    await Promise.all([releasing, rebuild.end()])
    expect(await (await one.objects.get('box', 'k')).text()).toBe(long)
  })
})
