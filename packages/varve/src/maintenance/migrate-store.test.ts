import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LayoutName, openStoreDirectory } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { createKeyring, migrateStore, openStore, type Store, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'

const scratch = scratchDirectory()
const keyring = createKeyring({ master: [Buffer.alloc(32, 'master').toString('base64')] })
const encryption = { mode: 'AES256' } as const
const bodies = { small: 'small '.repeat(500), middling: 'm'.repeat(300_000), large: 'l'.repeat(1_500_000) }
const sealed = ['small', 'middling'] as const
/** Each as the one and as the other; all pairs take minutes. */
const pairs = testedLayouts.map(
  (from, i) => [from, testedLayouts[(i + 1) % testedLayouts.length] as LayoutName] as const,
)

async function lived(dir: string, layout: LayoutName): Promise<Store> {
  const store = await openStore(dir, { layout, keyring, retentionMs: 0 })
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
  for (const [key, body] of Object.entries(bodies)) await store.objects.put('box', key, body)
  for (const key of sealed) await store.objects.put('box', `sealed ${key}`, bodies[key], { encryption })
  await store.objects.put('box', 'small', 'newer')
  const gone = await store.objects.put('box', 'gone', bodies.middling)
  await store.objects.delete('box', 'gone', { versionId: gone.versionId })
  await store.sweep({ orphans: true })
  return store
}

/** The log to the byte, and the newest bytes. */
async function reported(dir: string): Promise<unknown> {
  const store = await openStore(dir, { keyring })
  const log: string[] = []
  for await (const event of store.log()) log.push(JSON.stringify(event))
  const read = async (key: string) => (await store.objects.get('box', key)).text()
  const texts = [await read('small'), await read('middling'), await read('large')]
  for (const key of sealed) expect((await read(`sealed ${key}`)) === bodies[key]).toBe(true)
  const { storeId } = store
  await store.close()
  return { storeId, log, texts }
}

const layoutIn = async (dir: string): Promise<string> => {
  const { layout = 'level+files' } = JSON.parse(await readFile(join(dir, 'FORMAT'), 'utf8')) as { layout?: string }
  return layout
}

describe('a migration', () => {
  it.each(pairs)('from %s to %s keeps every event, every byte and the name of the store', async (from, to) => {
    const dir = scratch.next()
    await (await lived(dir, from)).close()
    const before = await reported(dir)
    await writeFile(join(dir, 'mine.txt'), "not the store's")
    const report = await migrateStore(dir, to)
    expect(report).toMatchObject({ from, to, events: 14 })
    expect(await layoutIn(dir)).toBe(to)
    expect(await verifyStore(dir)).toMatchObject({ ok: true, divergences: [] })
    expect(await reported(dir)).toEqual(before)
    const left = await readdir(dir)
    expect(left).not.toContain('migrating')
    expect(left.includes('segments')).toBe(!to.endsWith('+files'))
    expect(await readFile(join(dir, 'mine.txt'), 'utf8')).toBe("not the store's")
  })

  it('to the layout it has only takes away what was begun for another', async () => {
    const dir = scratch.next()
    await (await lived(dir, 'level+files')).close()
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(migrateStore(dir, 'segments+tiered', { signal })).rejects.toThrow('enough')
    expect(await readdir(dir)).toContain('migrating')
    expect(await migrateStore(dir, 'level+files')).toMatchObject({ blobs: 0, bytes: 0 })
    expect(await readdir(dir)).not.toContain('migrating')
  })

  it('that is given up goes on where it was, with what was written since', async () => {
    const dir = scratch.next()
    await (await lived(dir, 'level+files')).close()
    const givenUp = new AbortController()
    const onProgress = ({ stage }: { stage: string }) => {
      if (stage === 'check') givenUp.abort(new Error('enough'))
    }
    await expect(migrateStore(dir, 'segments+tiered', { signal: givenUp.signal, onProgress })).rejects.toThrow('enough')
    const store = await openStore(dir, { keyring })
    expect(await layoutIn(dir)).toBe('level+files')
    await store.objects.put('box', 'since', bodies.middling)
    await store.close()
    const before = await reported(dir)
    const report = await migrateStore(dir, 'segments+tiered')
    // Only what came since was still to be copied.
    expect(report).toMatchObject({ blobs: 1, bytes: bodies.middling.length })
    expect(await reported(dir)).toEqual(before)
  })

  it('that goes on drops the keys of what was erased since', async () => {
    const dir = scratch.next()
    await (await lived(dir, 'level+files')).close()
    const givenUp = new AbortController()
    const onProgress = ({ stage }: { stage: string }) => {
      if (stage === 'check') givenUp.abort(new Error('enough'))
    }
    await expect(migrateStore(dir, 'sqlite+files', { signal: givenUp.signal, onProgress })).rejects.toThrow('enough')
    const store = await openStore(dir, { keyring })
    const { entries } = await store.versions.listPage('box', { prefix: 'sealed' })
    for (const entry of entries)
      if (entry.kind === 'version') await store.versions.delete('box', entry.key, entry.versionId)
    await store.objects.put('box', 'sealed again', 'small', { encryption })
    await store.sweep()
    await store.close()
    await migrateStore(dir, 'sqlite+files')
    expect(await verifyStore(dir)).toMatchObject({ ok: true, divergences: [] })
    const { journal, close } = await openStoreDirectory(dir)
    const cursor = journal.cursor({ gte: Uint8Array.of(0x81), lt: Uint8Array.of(0x82) })
    expect(await cursor.next(10)).toHaveLength(1)
    await cursor.close()
    await close()
  })

  it.each(['blobs', 'tmp'])('that lost %s of what it had made makes it again', async (part) => {
    const dir = scratch.next()
    await (await lived(dir, 'level+files')).close()
    const before = await reported(dir)
    const givenUp = new AbortController()
    const onProgress = ({ stage }: { stage: string }) => {
      if (stage === 'check') givenUp.abort(new Error('enough'))
    }
    await expect(migrateStore(dir, 'segments+files', { signal: givenUp.signal, onProgress })).rejects.toThrow('enough')
    await rm(join(dir, 'migrating', part), { recursive: true })
    await migrateStore(dir, 'segments+files')
    expect(await layoutIn(dir)).toBe('segments+files')
    expect(await verifyStore(dir)).toMatchObject({ ok: true, divergences: [] })
    expect(await reported(dir)).toEqual(before)
  })

  it('that is begun again for another layout starts anew', async () => {
    const dir = scratch.next()
    await (await lived(dir, 'level+files')).close()
    const before = await reported(dir)
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(migrateStore(dir, 'segments+tiered', { signal })).rejects.toThrow('enough')
    await migrateStore(dir, 'segments+files')
    expect(await layoutIn(dir)).toBe('segments+files')
    expect(await reported(dir)).toEqual(before)
  })

  it('leaves a store alone whose bytes are damaged, and names them', async () => {
    const dir = scratch.next()
    await (await lived(dir, 'level+files')).close()
    const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
    const blob = entries.find((entry) => entry.isFile())
    await rm(join(String(blob?.parentPath), String(blob?.name)))
    await expect(migrateStore(dir, 'level+tiered')).rejects.toMatchObject({ code: 'BlobMissing' })
    expect(await layoutIn(dir)).toBe('level+files')
  })

  it('is refused while somebody has the store open', async () => {
    const dir = scratch.next()
    const store = await lived(dir, 'level+files')
    await expect(migrateStore(dir, 'level+tiered')).rejects.toMatchObject({ code: 'StoreLocked' })
    await store.close()
  })
})
