import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LayoutName, layouts, openStoreDirectory } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { createKeyring, openStore, repairStore, salvageStore, type Store, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'

const scratch = scratchDirectory()
const keyring = createKeyring({ master: [Buffer.alloc(32, 'master').toString('base64')] })
const small = 'small '.repeat(500)
const middling = 'm'.repeat(300_000)
const large = 'l'.repeat(1_500_000)

/** A bit of everything: versions, markers, what was deleted and swept, an upload. */
async function lived(dir: string, layout: LayoutName): Promise<Store> {
  const store = await openStore(dir, { layout, keyring })
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
  for (const [key, body] of Object.entries({ small, middling })) {
    await store.objects.put('box', `sealed ${key}`, body, { encryption: { mode: 'AES256' } })
  }
  for (const [key, body] of Object.entries({ small, middling, large })) await store.objects.put('box', key, body)
  await store.objects.put('box', 'small', 'newer')
  await store.objects.delete('box', 'large')
  const gone = await store.objects.put('box', 'gone', middling)
  await store.objects.delete('box', 'gone', { versionId: gone.versionId })
  await store.sweep({ orphans: true })
  const upload = await store.uploads.create('box', 'assembled')
  const part = await store.uploads.uploadPart(upload, 1, middling)
  await store.uploads.complete(upload, [part])
  return store
}

async function reported(store: Store): Promise<unknown> {
  const keys: string[] = []
  for await (const entry of store.versions.list('box')) keys.push(`${entry.kind} ${'key' in entry ? entry.key : ''}`)
  const text = async (key: string) => (await store.objects.get('box', key)).text()
  const [first] = (await store.versions.listPage('box', { prefix: 'large' })).entries.filter(
    ({ kind }) => kind === 'version',
  )
  const old = first !== undefined && 'versionId' in first ? first.versionId : ''
  const hidden = await (await store.objects.get('box', 'large', { versionId: old })).text()
  return {
    keys,
    newest: await text('small'),
    isMiddling: (await text('middling')) === middling,
    isAssembled: (await text('assembled')) === middling,
    isLarge: hidden === large,
    isSealed: (await text('sealed small')) === small && (await text('sealed middling')) === middling,
  }
}

const whole = {
  keys: [
    'version assembled',
    'marker large',
    'version large',
    'version middling',
    'version sealed middling',
    'version sealed small',
    'version small',
    'version small',
  ],
  newest: 'newer',
  isMiddling: true,
  isAssembled: true,
  isLarge: true,
  isSealed: true,
}

describe.each(testedLayouts)('a store of layout %s', (layout) => {
  it('finds everything again, knows its layout, and is sound', async () => {
    const dir = scratch.next()
    const store = await lived(dir, layout)
    expect(await reported(store)).toEqual(whole)
    await store.close()
    expect(await verifyStore(dir)).toMatchObject({ ok: true, divergences: [] })
    const again = await openStore(dir, { keyring })
    expect(await reported(again)).toEqual(whole)
    expect((await again.verify()).divergences).toEqual([])
    await again.close()
  })

  it('refuses to be opened as another, and stays as it is', async () => {
    const dir = scratch.next()
    await (await openStore(dir, { layout })).close()
    const format = await readFile(join(dir, 'FORMAT'), 'utf8')
    for (const { name } of layouts.filter((other) => other.name !== layout)) {
      await expect(openStore(dir, { layout: name })).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
    expect(await readFile(join(dir, 'FORMAT'), 'utf8')).toBe(format)
  })

  it('is repaired when it lost its FORMAT and its rows', async () => {
    const dir = scratch.next()
    await (await lived(dir, layout)).close()
    await rm(join(dir, 'FORMAT'))
    const database = layout.startsWith('segments') ? join(dir, 'events', 'views') : join(dir, 'events')
    const [table] = (await readdir(database)).filter((name) => /\.(ldb|log|mdb|sqlite)$/.test(name))
    const path = join(database, String(table))
    await writeFile(path, Buffer.alloc((await stat(path)).size))
    const { after } = await repairStore(dir).catch(async (error: unknown) => {
      // Where the log itself was among what was damaged, what is left is saved instead.
      expect(error).toMatchObject({ code: 'LogCorrupt' })
      expect(layout).not.toMatch(/^segments/)
      return { after: undefined }
    })
    if (after === undefined) return
    expect(after.ok).toBe(true)
    const again = await openStore(dir, { keyring })
    expect(await reported(again)).toEqual(whole)
    await again.close()
  })

  it('is found to have lost a row without a word, and gets it back', async () => {
    const dir = scratch.next()
    await (await lived(dir, layout)).close()
    const { journal, close } = await openStoreDirectory(dir)
    // Of the rows that listings walk.
    const cursor = journal.cursor({ gte: Uint8Array.of(0x20), lt: Uint8Array.of(0x21) })
    const [[key] = []] = await cursor.next(1)
    await cursor.close()
    await journal.commit({
      expectedHead: await journal.head(),
      events: [],
      rows: [{ key: key as Uint8Array, value: null }],
    })
    await close()
    const { ok, divergences } = await verifyStore(dir, { views: 'compare' })
    expect({ ok, kinds: divergences.map(({ kind }) => kind) }).toEqual({ ok: false, kinds: ['RowMissing'] })
    expect((await repairStore(dir)).after).toMatchObject({ ok: true })
    const again = await openStore(dir, { keyring })
    expect(await reported(again)).toEqual(whole)
    await again.close()
  })

  it('is saved into a store of the same layout', async () => {
    const [dir, into] = [scratch.next(), scratch.next()]
    await (await lived(dir, layout)).close()
    const report = await salvageStore(dir, into)
    expect(report).toMatchObject({ eventsLost: 0, bytesLost: [] })
    const saved = await openStore(into, { keyring })
    expect(await reported(saved)).toEqual(whole)
    await saved.close()
    expect(await readFile(join(into, 'FORMAT'), 'utf8')).toContain(layout)
  })
})

describe('a layout that there is not', () => {
  it('is refused, and nothing is made', async () => {
    const dir = scratch.next()
    await mkdir(dir)
    await expect(openStore(dir, { layout: 'paper+ink' as LayoutName })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'layout' },
    })
    expect(await readdir(dir)).toEqual([])
  })
})
