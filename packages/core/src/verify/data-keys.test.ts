import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { isDataKey, keyIdsOf, keyRowsOf, replaceKey } from '../api/data-keys.fixture.ts'
import { hashing, memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { dataKeyRow } from '../encryption/data-key-row.ts'
import type { Row } from '../ports/index.ts'
import { dataKeyTable } from '../views/tables.ts'

const encryption = { mode: 'AES256' } as const
const texts = { inline: 'short', blob: 'longer than any inline content' }

let ports: MemoryPorts
let store: Store

const open = (retentionMs = 0) =>
  openEngine({ ...ports, ciphers, keyring: testKeyring('master') }, { inlineMax: 16, retentionMs })

beforeEach(async () => {
  ports = memoryPorts()
  store = await open()
  await store.buckets.create('box')
})

const checks = [
  ['verify', async () => (await store.verify({ scratch: memoryJournal() })).divergences],
  ['verify without views of its own', async () => (await store.verify()).divergences],
  ['scrub', async () => (await store.scrub()).divergences],
] as const

const put = async (key: string, text: string): Promise<string> => {
  const before = new Set(keyIdsOf(ports))
  await store.objects.put('box', key, text, { encryption })
  return keyIdsOf(ports).find((id) => !before.has(id)) as string
}

describe.each(checks)('%s', (_name, look) => {
  it.each(Object.entries(texts))('finds nothing wrong with keys that are all there: %s', async (_place, text) => {
    await put('k', text)
    await store.objects.copy({ bucket: 'box', key: 'k' }, 'box', 'copy', { encryption })
    await put('k', text)
    const upload = await store.uploads.create('box', 'parts', { encryption })
    const part = await store.uploads.uploadPart(upload, 1, text)
    await store.uploads.uploadPart(upload, 2, text)
    await store.uploads.complete(upload, [part], { partSizeMin: 0 })
    await store.sweep()
    await store.objects.put('box', 'plain', text)
    expect(await look()).toEqual([])
  })

  it.each(Object.entries(texts))('names the object whose key is missing: %s', async (_place, text) => {
    await put('other', text)
    const id = await put('k', text)
    await replaceKey(ports, id)
    expect(await look()).toMatchObject([{ kind: 'DataKeyMissing', key: id, of: { bucket: 'box', key: 'k' } }])
  })

  it.each(Object.entries(texts))('names the object whose key is damaged: %s', async (_place, text) => {
    const id = await put('k', text)
    const [[, frame]] = keyRowsOf(ports) as [Row]
    await replaceKey(ports, id, frame.with(8, (frame[8] as number) ^ 1))
    expect(await look()).toMatchObject([{ kind: 'DataKeyCorrupt', key: id, of: { bucket: 'box', key: 'k' } }])
    expect(await codeOf(store.objects.get('box', 'k'))).toBe('RowCorrupt')
  })

  it('finds another key under the name of a blob, though its checksum is right', async () => {
    const id = await put('k', texts.blob)
    await put('other', texts.blob)
    const [, frame] = keyRowsOf(ports).find(([key]) => dataKeyTable.id(key) !== id) as Row
    await replaceKey(ports, id, dataKeyRow(hashing, id, frame.subarray(6)).value)
    expect(await look()).toMatchObject([{ kind: 'DataKeyCorrupt', key: id, of: { bucket: 'box', key: 'k' } }])
  })

  it('reports lost bytes and their lost key', async () => {
    const id = await put('k', texts.blob)
    await replaceKey(ports, id)
    ports.blobs.bytes.clear()
    expect((await look()).map(({ kind }) => kind)).toEqual(['BlobMissing', 'DataKeyMissing'])
  })

  it('misses the key of removed content until the content is erased', async () => {
    store = await open(60_000)
    const id = await put('k', texts.blob)
    await store.objects.delete('box', 'k')
    await replaceKey(ports, id)
    expect(await look()).toMatchObject([{ kind: 'DataKeyMissing', key: id }])
    ports.clock.time += 60_001
    await store.sweep()
    expect(await look()).toEqual([])
  })
})

describe('verify', () => {
  it('finds the key of erased bytes, though a past version names them', async () => {
    const id = await put('k', texts.inline)
    const [[, frame]] = keyRowsOf(ports) as [Row]
    await store.objects.delete('box', 'k')
    await store.sweep()
    await replaceKey(ports, id, frame)
    expect((await store.verify()).divergences).toMatchObject([{ kind: 'DataKeyOrphan', key: id }])
  })

  it('finds a key of bytes that nothing names, and of bytes that are not encrypted', async () => {
    await store.objects.put('box', 'plain', texts.blob)
    const [plain] = [...ports.blobs.bytes.keys()] as [string]
    for (const id of ['nothing', plain]) await replaceKey(ports, id, dataKeyRow(hashing, id, ciphers.random(96)).value)
    const { divergences } = await store.verify()
    expect(divergences.map(({ kind }) => kind)).toEqual(['DataKeyOrphan', 'DataKeyOrphan'])
    expect(new Set(divergences.map(({ key }) => key))).toEqual(new Set([plain, 'nothing']))
  })
})

describe('a scrub', () => {
  it('calls no key missing that was dropped while it looked', async () => {
    store = await open(60_000)
    await put('k', texts.inline)
    await store.objects.delete('box', 'k')
    const { get } = ports.journal
    let swept = 0
    ports.journal.get = async (key) => {
      if (isDataKey(key)) {
        ports.clock.time += 60_001
        swept += (await store.sweep()).erased
      }
      return get(key)
    }
    expect((await store.scrub()).divergences).toEqual([])
    expect(swept).toBe(1)
  })
})
