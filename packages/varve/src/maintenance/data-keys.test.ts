import { openStoreDirectory } from '@varve/adapters'
import type { Row } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { createKeyring, openStore, repairStore, salvageStore, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const keyring = createKeyring({ master: [Buffer.alloc(32, 'master').toString('base64')] })
const bodies = { small: 'small', large: 'l'.repeat(100_000) }
const isOf =
  (table: number) =>
  ([key]: Row): boolean =>
    key[0] === table
const isDataKey = isOf(0x81)

let dir: string

beforeEach(async () => {
  dir = scratch.next()
  const store = await openStore(dir, { keyring })
  await store.buckets.create('box')
  for (const [key, body] of Object.entries(bodies)) {
    await store.objects.put('box', key, body, { encryption: { mode: 'AES256' } })
  }
  await store.close()
})

/** Changes rows as another program would: the rows that `change` returns replace those it was given. */
async function changeRows(change: (rows: readonly Row[]) => readonly (readonly [Uint8Array, Uint8Array | null])[]) {
  const { journal, close } = await openStoreDirectory(dir)
  const cursor = journal.cursor({ gte: Uint8Array.of(0x01), lt: Uint8Array.of(0xff) })
  const rows = change(await cursor.next(1000)).map(([key, value]) => ({ key, value }))
  await cursor.close()
  await journal.commit({ expectedHead: await journal.head(), events: [], rows })
  await close()
}

async function texts(of = dir): Promise<readonly string[]> {
  const store = await openStore(of, { keyring })
  const read = async (key: string) => {
    const object = await store.objects.get('box', key).catch((error: { code: string }) => error.code)
    return typeof object === 'string' ? object : object.text()
  }
  const found = [await read('small'), await read('large')]
  await store.close()
  return found
}

const kindsIn = async () => (await verifyStore(dir)).divergences.map(({ kind }) => kind)

describe('a repair', () => {
  it('takes a data key away that nothing needs, and no other', async () => {
    await changeRows((rows) => {
      const [[key, value]] = rows.filter(isDataKey) as [Row]
      return [[key.with(3, (key[3] as number) ^ 1), value]]
    })
    expect(await kindsIn()).toEqual(['DataKeyOrphan'])
    expect((await repairStore(dir)).after).toMatchObject({ ok: true })
    expect(await kindsIn()).toEqual([])
    expect(await texts()).toEqual([bodies.small, bodies.large])
  })

  it.each([
    ['missing', 'DataKeyMissing', () => null],
    ['damaged', 'DataKeyCorrupt', (frame: Uint8Array) => frame.with(9, (frame[9] as number) ^ 1)],
  ] as const)('cannot replace a data key that is %s, and names the object', async (_title, kind, damage) => {
    await changeRows((rows) => {
      const [[key, frame]] = rows.filter(isDataKey) as [Row]
      const [[head]] = rows.filter(isOf(0x01)) as [Row]
      // The damaged head makes the repair build the database again.
      return [
        [key, damage(frame)],
        [head, Uint8Array.of(1)],
      ]
    })
    const { after } = await repairStore(dir)
    expect(after.divergences).toMatchObject([{ kind, of: { bucket: 'box' } }])
    const read = await texts()
    expect(read.filter((text) => Object.values(bodies).includes(text))).toHaveLength(1)
    expect(read).toContain(kind === 'DataKeyMissing' ? 'KeyUnavailable' : 'RowCorrupt')
  })
})

describe('a salvage', () => {
  it('saves the data keys', async () => {
    const into = scratch.next()
    expect(await salvageStore(dir, into)).toMatchObject({ eventsLost: 0, bytesLost: [] })
    expect(await texts(into)).toEqual([bodies.small, bodies.large])
    expect(await verifyStore(into)).toMatchObject({ ok: true, divergences: [] })
  })

  it('names an object whose data key is lost', async () => {
    await changeRows((rows) => rows.filter(isDataKey).map(([key]) => [key, null]))
    const { bytesLost } = await salvageStore(dir, scratch.next())
    expect(bytesLost).toMatchObject([
      { kind: 'DataKeyMissing', of: { bucket: 'box', key: 'large' } },
      { kind: 'DataKeyMissing', of: { bucket: 'box', key: 'small' } },
    ])
  })

  it('names an object once whose bytes and data key are lost', async () => {
    await changeRows((rows) =>
      rows.filter((row) => isDataKey(row) || isOf(0x80)(row)).map(([key]): [Uint8Array, null] => [key, null]),
    )
    const { bytesLost } = await salvageStore(dir, scratch.next())
    expect(bytesLost).toMatchObject([
      { kind: 'DataKeyMissing', of: { bucket: 'box', key: 'large' } },
      { kind: 'BlobMissing', of: { bucket: 'box', key: 'small' } },
    ])
  })
})
