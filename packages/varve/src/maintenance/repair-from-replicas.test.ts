import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openedParts } from '@varve/core'
import { openLevelDirectory } from '@varve/adapters'
import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'
import { repairStore, verifyStore } from './closed-stores.ts'

const scratch = scratchDirectory()
let home: string
let dir: string
let replica: string

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  dir = join(home, 'store')
  replica = join(home, 'replica')
})

const large = Buffer.alloc(300_000, 'large ')

async function filled(layout: (typeof testedLayouts)[number]): Promise<void> {
  const store = await openStore(dir, { layout, replicas: [{ to: replica, everyMs: 20 }] })
  await store.buckets.create('box')
  for (let n = 0; n < 5; n++) await store.objects.put('box', `short ${n}`, `short bytes ${n}`)
  await store.objects.put('box', 'large', large)
  await store.close()
}

async function content(): Promise<readonly string[]> {
  const store = await openStore(dir)
  const found: string[] = []
  for (let n = 0; n < 5; n++) found.push(await (await store.objects.get('box', `short ${n}`)).text())
  const bytes = Buffer.from(await (await store.objects.get('box', 'large')).bytes())
  found.push(String(bytes.equals(large)))
  await store.close()
  return found
}

const right = ['short bytes 0', 'short bytes 1', 'short bytes 2', 'short bytes 3', 'short bytes 4', 'true']

/** Changes a byte of the text, in all files of the store below this folder. */
async function spoil(folder: string, text: string): Promise<number> {
  let count = 0
  for (const name of await readdir(join(dir, folder), { recursive: true }).catch(() => [])) {
    const path = join(dir, folder, name)
    const bytes = await readFile(path).catch(() => undefined)
    if (bytes === undefined) continue
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
      bytes[at + 1] = 0x5a
      count++
    }
    await writeFile(path, bytes)
  }
  return count
}

describe.each(testedLayouts)('a repair with a replica, in the layout %s', (layout) => {
  it('brings back damaged and missing bytes, and says from where', async () => {
    await filled(layout)
    expect((await spoil('blobs', 'large large')) + (await spoil('segments', 'large large'))).toBeGreaterThan(0)
    const store = await openStore(dir)
    const { journal } = openedParts(store)
    const cursor = journal.cursor({ gte: Uint8Array.of(0x80), lt: Uint8Array.of(0xff) })
    const rows = await cursor.next(1000)
    await cursor.close()
    const lost = rows.filter(([, value]) => Buffer.from(value).includes('short bytes'))
    await journal.commit({ events: [], rows: lost.slice(0, 2).map(([key]) => ({ key, value: null })) })
    await store.close()
    expect((await verifyStore(dir)).ok).toBe(false)
    const { actions, after } = await repairStore(dir, { from: [replica] })
    expect(actions.filter((action) => action.startsWith('Took the'))).toEqual([
      expect.stringContaining(`from ${replica}.`),
      expect.stringContaining(`from ${replica}.`),
      expect.stringContaining(`from ${replica}.`),
    ])
    expect(after.divergences).toEqual([])
    expect(await content()).toEqual(right)
  })
})

async function damageEvents(change: (bytes: Uint8Array) => Uint8Array | undefined, seqs: readonly number[]) {
  const db = await openLevelDirectory(join(dir, 'events'))
  try {
    const batch = db.batch()
    for (const seq of seqs) {
      const key = Buffer.alloc(9)
      key.writeBigUInt64BE(BigInt(seq), 1)
      const iterator = db.iterator({ gte: key })
      const [[, bytes] = []] = await iterator.nextv(1)
      await iterator.close()
      const changed = change(Uint8Array.from(bytes ?? []))
      if (changed === undefined) batch.del(key)
      else batch.put(key, changed)
    }
    await batch.write({ sync: false })
  } finally {
    await db.close()
  }
}

const flipped = (bytes: Uint8Array): Uint8Array => {
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1
  return bytes
}

describe('a log with damaged events', () => {
  it.each([
    ['damaged', flipped],
    ['missing', () => undefined],
  ])('gets them back from a replica if they are %s', async (_name, change) => {
    await filled('level+files')
    await damageEvents(change, [3, 4])
    await expect(repairStore(dir)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'beyond-repair' } })
    const { actions, after } = await repairStore(dir, { from: [join(home, 'none'), replica] })
    expect(actions).toContain(`Took events 3 to 4 from ${replica}.`)
    expect(actions[0]).toMatch(/^Left the replica .*none out: /)
    expect(after.divergences).toEqual([])
    expect(await content()).toEqual(right)
  })

  it('is refused, and nothing is changed, if the replica is that of another store', async () => {
    await filled('level+files')
    const other = join(home, 'other')
    await cp(replica, other, { recursive: true })
    await rm(dir, { recursive: true })
    await rm(replica, { recursive: true })
    await filled('level+files')
    await damageEvents(flipped, [3])
    await expect(repairStore(dir, { from: [other] })).rejects.toMatchObject({
      code: 'LogCorrupt',
      message: expect.stringContaining('No replica has what is damaged'),
    })
    expect(await readdir(dir)).not.toContain('quarantine')
  })

  it('takes addresses that are not checked later', async () => {
    await expect(repairStore(dir, { from: ['http://no-replica'] })).rejects.toMatchObject({ code: 'InvalidArgument' })
    await expect(repairStore(dir, { from: 'text' as never })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
