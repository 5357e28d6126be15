import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openedParts, type Store } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'

let home: string
const scratch = scratchDirectory()

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
})

const large = Buffer.alloc(300_000, 'large ')
const middle = Buffer.alloc(50_000, 'middle ')

const isWhole = (store: Store) =>
  expect
    .poll(() => store.jobs.find(({ name }) => name.startsWith('replication'))?.progress, { timeout: 20_000 })
    .toEqual({ position: store.seq, head: store.seq })

async function filled(layout: (typeof testedLayouts)[number]): Promise<Store> {
  const store = await openStore(join(home, 'one'), {
    layout,
    replicas: [{ to: join(home, 'replica'), everyMs: 20 }],
    sweepOrphans: false,
  })
  await store.buckets.create('box')
  await store.objects.put('box', 'large', large)
  await store.objects.put('box', 'middle', middle)
  await store.objects.put('box', 'short', 'short bytes')
  await isWhole(store)
  return store
}

const everyRow = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }

/** Changes the row of the short object, behind the back of the store. */
async function damageRow(store: Store, isGone: boolean): Promise<void> {
  const { journal } = openedParts(store)
  const cursor = journal.cursor(everyRow)
  const rows = await cursor.next(10_000)
  await cursor.close()
  const [key, frame] = rows.find(([, value]) =>
    Buffer.from(value).subarray(5).equals(Buffer.from('short bytes')),
  ) as never as [Uint8Array, Uint8Array]
  const changed = Uint8Array.from(frame)
  changed[7] = 0
  await journal.commit({ events: [], rows: [{ key, value: isGone ? null : changed }] })
}

/** Damages the bytes of every blob in the files of the store: each has the text of its object. */
async function damageBlobs(dir: string): Promise<number> {
  let count = 0
  for (const folder of ['blobs', 'segments']) {
    for (const name of await readdir(join(dir, folder), { recursive: true }).catch(() => [])) {
      const path = join(dir, folder, name)
      const bytes = await readFile(path).catch(() => undefined)
      if (bytes === undefined) continue
      for (const text of ['large large', 'middle middle']) {
        const at = bytes.indexOf(text)
        if (at < 0) continue
        bytes.write('X', at + 2)
        count++
      }
      await writeFile(path, bytes)
    }
  }
  return count
}

const bytesOf = async (store: Store, key: string) => Buffer.from(await (await store.objects.get('box', key)).bytes())

describe.each(testedLayouts)('a store with a replica, in the layout %s', (layout) => {
  it('heals damaged and missing bytes as they are read', async () => {
    const store = await filled(layout)
    expect(await damageBlobs(join(home, 'one'))).toBe(2)
    await damageRow(store, false)
    expect((await bytesOf(store, 'large')).equals(large)).toBe(true)
    expect((await bytesOf(store, 'middle')).equals(middle)).toBe(true)
    expect((await bytesOf(store, 'short')).toString()).toBe('short bytes')
    await damageRow(store, true)
    expect((await bytesOf(store, 'short')).toString()).toBe('short bytes')
    const healed: string[] = []
    for await (const { type, data } of store.log())
      if (type === 'BytesHealed') healed.push(`${data.fault} ${data.what}`)
    expect(healed).toEqual(['damaged blob', 'damaged blob', 'damaged inline', 'missing inline'])
    expect(await store.verify()).toMatchObject({ ok: true, found: 0 })
    await store.close()
    const kept = (await readdir(join(home, 'one', 'quarantine'))).filter((name) => !name.endsWith('.json'))
    expect(kept).toHaveLength(2)
    for (const name of kept)
      expect((await readFile(join(home, 'one', 'quarantine', name))).subarray(0, 3).toString()).toMatch(/^(laX|miX)/)
    const again = await openStore(join(home, 'one'))
    expect((await bytesOf(again, 'large')).equals(large)).toBe(true)
    expect((await bytesOf(again, 'middle')).equals(middle)).toBe(true)
    expect(await again.verify()).toMatchObject({ ok: true, found: 0 })
    await again.close()
  })
})

describe('a store with replicas', () => {
  it('heals from the next one when one is damaged or gone', async () => {
    const store = await filled('level+files')
    await store.close()
    const replicas = ['gone', 'damaged', 'replica'].map((name) => ({ to: join(home, name), everyMs: 60_000 }))
    await mkdir(join(home, 'damaged', 'replica'), { recursive: true })
    await writeFile(join(home, 'damaged', 'replica', 'log.0.0000000000000001-00000001'), 'no file of a replica')
    const again = await openStore(join(home, 'one'), { replicas })
    // The replica may be written meanwhile.
    await rm(join(home, 'gone'), { recursive: true, force: true, maxRetries: 50 })
    await damageBlobs(join(home, 'one'))
    await damageRow(again, true)
    expect((await bytesOf(again, 'large')).equals(large)).toBe(true)
    expect((await bytesOf(again, 'short')).toString()).toBe('short bytes')
    await again.close()
  })
})
