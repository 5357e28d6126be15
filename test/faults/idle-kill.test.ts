/**
 * A store that was killed after it had nothing to do for a moment, and whose log was damaged at its end: an end that is gone is missed,
 * whatever it is made of. With a synced witness there need be no such moment.
 */
import { cp, mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isStorageError, type LayoutName, openStore, repairStore, salvageStore, verifyStore } from 'varve'

const objects = 60
const idleMs = 600
/** Of one bit each. `VARVE_TAIL_FLIPS` sets how many. */
const flips = Number(process.env['VARVE_TAIL_FLIPS'] ?? 8)

/** The file that was written last. A kill may damage its end, or the pages that point to its end. */
const tails: Readonly<Record<string, { readonly file: RegExp; readonly from: (size: number) => number }>> = {
  'level+files': { file: /^\d+\.log$/, from: (size) => Math.floor(size / 2) },
  'segments+files': { file: /^\d+$|\.log$|segment/, from: (size) => Math.floor(size / 2) },
  // Two pages at the beginning point to the newest tree, in turn.
  'lmdb+files': { file: /^log\.mdb$/, from: () => 0 },
  'sqlite+files': { file: /^log\.sqlite-wal$/, from: (size) => Math.floor(size / 2) },
}

let scratch: string

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'varve-idle-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** The directory as it is while the store is open: what a kill leaves. */
async function imageOf(layout: string, witness: 'trailing' | 'synced'): Promise<{ dir: string; seq: number }> {
  const dir = await mkdtemp(join(scratch, 'store-'))
  const image = `${dir}-killed`
  const store = await openStore(dir, { layout: layout as LayoutName, witness, controlSocket: false })
  await store.buckets.create('box')
  for (let i = 0; i < objects; i++) await store.objects.put('box', `k${i}`, `body ${i} `.repeat(20))
  if (witness === 'trailing') await delay(idleMs)
  const { seq } = store
  await cp(dir, image, { recursive: true })
  await store.close()
  return { dir: image, seq }
}

async function tailOf(dir: string, pattern: RegExp): Promise<string> {
  const names = (await readdir(join(dir, 'events'))).filter((name) => pattern.test(name))
  const found = await Promise.all(names.map(async (name) => ({ name, info: await stat(join(dir, 'events', name)) })))
  const [last] = found.filter(({ info }) => info.isFile()).sort((a, b) => b.info.mtimeMs - a.info.mtimeMs)
  if (last === undefined) throw new Error(`No file of ${dir}/events is the end of the log: ${names.join(', ')}`)
  return join('events', last.name)
}

/** `all` when the log has everything that was acknowledged, or the code of the error otherwise. */
async function outcome(dir: string, seq: number): Promise<string> {
  try {
    const store = await openStore(dir, { create: false, sweepOrphans: false, lifecycle: false })
    try {
      let last = 0
      for await (const event of store.log()) last = event.seq
      return last === seq ? 'all' : `${last} of ${seq}`
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isStorageError(error)) return error.code
    throw error
  }
}

async function damaged(image: string, damage: (dir: string) => Promise<void>, seq: number): Promise<string> {
  const dir = join(scratch, 'damaged')
  await rm(dir, { recursive: true, force: true })
  await cp(image, dir, { recursive: true })
  await damage(dir)
  return outcome(dir, seq)
}

async function flip(path: string, at: number, bit: number): Promise<void> {
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  await file.write(Buffer.of((byte[0] as number) ^ (1 << bit)), 0, 1, at)
  await file.close()
}

const refusals = ['AcknowledgedWritesLost', 'LogCorrupt', 'JournalFailed']

describe.each(Object.entries(tails))('%s', (layout, { file, from }) => {
  it.each(['trailing', 'synced'] as const)(
    'misses an end of the log that is gone, with a %s witness',
    async (witness) => {
      const { dir, seq } = await imageOf(layout, witness)
      expect(await outcome(await copyOf(dir), seq)).toBe('all')
      const tail = await tailOf(dir, file)
      const { size } = await stat(join(dir, tail))
      for (const length of [1, 200, 5000]) {
        const found = await damaged(dir, (copy) => truncate(join(copy, tail), size - length), seq)
        // What is cut off may never have been written to.
        expect(['all', ...refusals], `${length} bytes less`).toContain(found)
      }
      const third = await damaged(dir, (copy) => truncate(join(copy, tail), Math.floor(size / 3)), seq)
      expect(refusals, 'a third of it').toContain(third)
      expect(refusals, 'nothing of it').toContain(await damaged(dir, (copy) => rm(join(copy, tail)), seq))
      const begin = from(size)
      for (let i = 0; i < flips; i++) {
        const at = begin === 0 ? (i * 1009) % 8192 : begin + Math.floor(((size - begin) * i) / flips)
        const found = await damaged(dir, (copy) => flip(join(copy, tail), at, i % 8), seq)
        expect(['all', ...refusals], `bit ${i % 8} of byte ${at} of ${size}`).toContain(found)
      }
    },
    60_000 + flips * 4000,
  )
})

async function copyOf(image: string): Promise<string> {
  const dir = join(scratch, 'copy')
  await rm(dir, { recursive: true, force: true })
  await cp(image, dir, { recursive: true })
  return dir
}

describe('a log of SQLite with a bad frame before whole transactions', () => {
  it('is refused, found by verify, left alone by repair and saved up to there by salvage', async () => {
    const { dir, seq } = await imageOf('sqlite+files', 'trailing')
    // As after a kill without a pause: no witness has recorded the tip.
    await rm(join(dir, 'witness'))
    const tail = await tailOf(dir, /^log\.sqlite-wal$/)
    await flip(join(dir, tail), Math.floor((await stat(join(dir, tail))).size / 2), 3)
    expect(await outcome(dir, seq)).toBe('AcknowledgedWritesLost')
    const { divergences } = await verifyStore(dir)
    expect(divergences.map(({ kind }) => kind)).toContain('LogShort')
    await expect(repairStore(dir)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'beyond-repair' } })
    const { events } = await salvageStore(dir, join(scratch, 'salvaged'))
    expect(events).toBeGreaterThan(seq / 4)
    expect(events).toBeLessThan(seq)
  }, 60_000)
})
