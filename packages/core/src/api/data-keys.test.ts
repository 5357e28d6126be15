import { beforeEach, describe, expect, it } from 'vitest'
import { toHex } from '../bytes/hex.ts'
import { ciphers, testKeyring, type TestKeyring } from '../encryption/ciphers.fixture.ts'
import { dataKeyRow } from '../encryption/data-key-row.ts'
import type { Commit, Row } from '../ports/index.ts'
import { dataKeyTable } from '../views/tables.ts'
import { codeOf } from './answers.fixture.ts'
import { isDataKey, keyIdsOf, keyRowsOf, replaceKey } from './data-keys.fixture.ts'
import { hashing, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { EncryptionRequest } from './types/index.ts'

const customerKey = ciphers.random(32)
const encryption = { mode: 'AES256' } as const
const modes: readonly EncryptionRequest[] = [
  encryption,
  { mode: 'aws:kms', keyName: 'payroll' },
  { mode: 'aws:kms:dsse', keyName: 'payroll' },
  { mode: 'SSE-C', key: customerKey },
]
const inlineMax = 16
const places = [
  ['inline', 'short'],
  ['in a blob', 'longer than any inline content'],
] as const
const long = places[1][1]

let ports: MemoryPorts
let keyring: TestKeyring
let store: Store

const open = (retentionMs = 0) => openEngine({ ...ports, ciphers, keyring }, { inlineMax, retentionMs })

beforeEach(async () => {
  ports = memoryPorts()
  keyring = testKeyring('master', 'payroll')
  store = await open()
  await store.buckets.create('box')
})

const keyRows = () => keyRowsOf(ports)
const keyIds = () => keyIdsOf(ports)
const nameOf = (key: Uint8Array) => key.join()

/** The commits that follow. */
function watchCommits(): readonly Commit[] {
  const commits: Commit[] = []
  const { commit } = ports.journal
  ports.journal.commit = async (batch) => {
    commits.push(batch)
    await commit(batch)
  }
  return commits
}

describe('a data key', () => {
  it.each(modes.flatMap((mode) => places.map(([place, text]) => [mode.mode, place, mode, text] as const)))(
    'is in a row of its own, and in no event and no other row: %s, %s',
    async (_mode, _place, request, text) => {
      await store.objects.put('box', 'k', text, { encryption: request })
      expect(keyRows()).toHaveLength(1)
      const [[key, frame]] = keyRows() as [Row]
      const wrapped = Buffer.from(frame.subarray(6))
      const others = [...ports.journal.rows.values()].flatMap(([other, value]) =>
        nameOf(other) === nameOf(key) ? [] : [value],
      )
      for (const bytes of [...ports.journal.log, ...others, ...ports.blobs.bytes.values()]) {
        for (const form of ['latin1', 'base64', 'hex'] as const)
          expect(Buffer.from(bytes).toString('latin1')).not.toContain(wrapped.toString(form))
      }
    },
  )

  it.each(places)('is committed with the event that names its blob: %s', async (_place, text) => {
    await store.objects.put('box', 'first', text, { encryption })
    const commits = watchCommits()
    await store.objects.put('box', 'k', text, { encryption })
    expect(commits).toHaveLength(1)
    expect(commits[0]?.events).toHaveLength(1)
    expect(commits[0]?.rows.filter(({ key }) => isDataKey(key))).toHaveLength(1)
  })

  it.each(places)('is not kept if the command is refused: %s', async (_place, text) => {
    await store.objects.put('box', 'k', text, { encryption })
    const before = keyIds()
    expect(await codeOf(store.objects.put('box', 'k', text, { encryption, ifNoneMatch: '*' }))).toBe(
      'PreconditionFailed',
    )
    expect(keyIds()).toEqual(before)
  })

  it.each(places)('costs unencrypted objects nothing, and an encrypted read one row: %s', async (_place, text) => {
    await store.objects.put('box', 'plain', text)
    expect(keyRows()).toEqual([])
    await store.objects.put('box', 'sealed', text, { encryption })
    const readsOf = async (key: string) => {
      await (await store.objects.get('box', key)).bytes()
      const before = ports.journal.reads
      await (await store.objects.get('box', key)).bytes()
      return ports.journal.reads - before
    }
    expect((await readsOf('sealed')) - (await readsOf('plain'))).toBe(1)
  })
})

describe('a data key that cannot be used', () => {
  const get = () => store.objects.get('box', 'k')

  it.each(places)('because its row is missing, is refused: %s', async (_place, text) => {
    await store.objects.put('box', 'k', text, { encryption })
    const [blob] = keyIds() as [string]
    await replaceKey(ports, blob)
    await expect(get()).rejects.toMatchObject({ code: 'KeyUnavailable', details: { blob, kind: 'missing' } })
  })

  it('because its row is damaged, is refused', async () => {
    await store.objects.put('box', 'k', long, { encryption })
    const [[key, frame]] = keyRows() as [Row]
    await replaceKey(ports, keyIds()[0] as string, frame.with(9, (frame[9] as number) ^ 1))
    await expect(get()).rejects.toMatchObject({ code: 'RowCorrupt', details: { key: toHex(key) } })
  })

  it('because it belongs to another blob, is refused though its checksum is right', async () => {
    await store.objects.put('box', 'k', long, { encryption })
    const [id] = keyIds() as [string]
    await store.objects.put('box', 'other', long, { encryption })
    const [, frame] = keyRows().find(([key]) => dataKeyTable.id(key) !== id) as Row
    await replaceKey(ports, id, dataKeyRow(hashing, id, frame.subarray(6)).value)
    await expect(get()).rejects.toMatchObject({ code: 'RowCorrupt', details: { kind: 'payload' } })
  })

  it('of a part in the middle, ends the read before a byte of that part', async () => {
    const upload = await store.uploads.create('box', 'k', { encryption })
    const parts = [await store.uploads.uploadPart(upload, 1, long), await store.uploads.uploadPart(upload, 2, long)]
    await store.uploads.complete(upload, parts, { partSizeMin: 0 })
    const events = []
    for await (const event of store.log()) if (event.type === 'PartAdded') events.push(event)
    const content = events[1]?.data.content
    if (content?.kind !== 'blob') throw new Error('A part without bytes.')
    await replaceKey(ports, content.blob.id)
    const body = (await get()).body[Symbol.asyncIterator]()
    expect((await body.next()).value).toHaveLength(long.length)
    await expect(body.next()).rejects.toMatchObject({ code: 'KeyUnavailable' })
  })
})

describe('the erasure of a content', () => {
  it.each(places)('drops its key in the commit that records it: %s', async (_place, text) => {
    const { seq } = await store.objects.put('box', 'k', text, { encryption })
    const past = await store.at(seq)
    await store.objects.delete('box', 'k')
    const commits = watchCommits()
    await store.sweep()
    expect(keyIds()).toEqual([])
    expect(commits.map(({ rows }) => rows.filter(({ key }) => isDataKey(key)))).toMatchObject([[], [{ value: null }]])
    expect(await codeOf(past.objects.get('box', 'k'))).toBe('ObjectErased')
  })

  it('of which a crash left the bytes, is complete for reads of the past', async () => {
    const { seq } = await store.objects.put('box', 'k', long, { encryption })
    const past = await store.at(seq)
    await store.objects.delete('box', 'k')
    const bytes = new Map(ports.blobs.bytes)
    await store.sweep()
    for (const [id, blob] of bytes) ports.blobs.bytes.set(id, blob)
    expect(await codeOf(past.objects.get('box', 'k'))).toBe('ObjectErased')
  })

  it('waits for the retention, and until then the past can be read', async () => {
    store = await open(60_000)
    const { seq } = await store.objects.put('box', 'k', long, { encryption })
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(keyIds()).toHaveLength(1)
    expect(await (await (await store.at(seq)).objects.get('box', 'k')).text()).toBe(long)
  })

  it.each(places)('comes with the last copy that shares it: %s', async (_place, text) => {
    await store.objects.put('box', 'k', text, { encryption })
    await store.objects.copy({ bucket: 'box', key: 'k' }, 'box', 'copy', { encryption })
    expect(keyIds()).toHaveLength(1)
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(await (await store.objects.get('box', 'copy')).text()).toBe(text)
    await store.objects.delete('box', 'copy')
    await store.sweep()
    expect(keyIds()).toEqual([])
  })

  it.each(places)('drops the keys of parts that were replaced, not used or removed: %s', async (_place, text) => {
    const upload = await store.uploads.create('box', 'k', { encryption })
    await store.uploads.uploadPart(upload, 1, text)
    const part = await store.uploads.uploadPart(upload, 1, text)
    await store.uploads.uploadPart(upload, 2, text)
    await store.sweep()
    expect(keyIds()).toHaveLength(2)
    await store.uploads.complete(upload, [part], { partSizeMin: 0 })
    await store.sweep()
    expect(keyIds()).toHaveLength(1)
    expect(await (await store.objects.get('box', 'k')).text()).toBe(text)
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(keyIds()).toEqual([])
  })

  it.each(places)('drops the keys of an upload that was aborted: %s', async (_place, text) => {
    const upload = await store.uploads.create('box', 'k', { encryption })
    for (const number of [1, 2, 3]) await store.uploads.uploadPart(upload, number, text)
    await store.uploads.abort(upload)
    await store.sweep()
    expect(keyIds()).toEqual([])
  })

  it('removes no row for content that was not encrypted', async () => {
    for (const [, text] of places) await store.objects.put('box', 'k', text)
    await store.objects.delete('box', 'k')
    const commits = watchCommits()
    await store.sweep()
    expect(commits.flatMap(({ rows }) => rows).filter(({ key }) => isDataKey(key))).toEqual([])
  })
})

describe('views that are computed again', () => {
  it('leave the data keys as they are', async () => {
    await store.objects.put('box', 'k', long, { encryption })
    const before = keyRows()
    for (const [name, [key]] of ports.journal.rows) if ((key[0] as number) < 0x80) ports.journal.rows.delete(name)
    store = await open()
    expect(keyRows()).toEqual(before)
    expect(await (await store.objects.get('box', 'k')).text()).toBe(long)
  })
})
