import { beforeEach, describe, expect, it } from 'vitest'
import { publicUploadId } from '../naming/version-id.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { UploadInfo, UploadRef } from '../api/types/index.ts'

const secret = { read: async () => new Uint8Array(32).fill(7) }

let ports: MemoryPorts
let store: Store
let mine: UploadInfo
let theirs: UploadInfo

beforeEach(async () => {
  ports = { ...memoryPorts(), secret }
  store = await openEngine(ports)
  await store.buckets.create('box')
  await store.buckets.create('other')
  mine = await store.uploads.create('box', 'k')
  theirs = await store.as({ by: { id: 'eve', name: 'Eve' } }).uploads.create('box', 'k')
})

const uses: Record<string, (upload: UploadRef, of?: Store) => Promise<unknown>> = {
  head: (upload, of = store) => of.uploads.head(upload),
  listPartsPage: (upload) => store.uploads.listPartsPage(upload),
  uploadPart: (upload) => store.uploads.uploadPart(upload, 1, 'x'),
  copyPart: (upload) => store.uploads.copyPart(upload, 1, { bucket: 'box', key: 'source' }),
  complete: (upload) => store.uploads.complete(upload, [{ partNumber: 1, etag: 'x' }], { repeatable: true }),
  abort: (upload) => store.uploads.abort(upload),
}

describe('an upload id', () => {
  const changedAt = (id: string, i: number) => id.slice(0, i) + (id[i] === '0' ? '1' : '0') + id.slice(i + 1)
  const wrong: Record<string, () => readonly UploadRef[]> = {
    'with any one character changed': () =>
      Array.from({ length: mine.uploadId.length }, (_, i) => ({ ...mine, uploadId: changedAt(mine.uploadId, i) })),
    "of another's position, with the rest of one's own": () => [
      { ...mine, uploadId: theirs.uploadId.slice(0, 13) + mine.uploadId.slice(13) },
    ],
    'of another key': () => [{ ...mine, key: 'l' }],
    'of another bucket': () => [{ ...mine, bucket: 'other' }],
    'of which only the public part is known': () => [
      { ...mine, uploadId: publicUploadId(4) },
      { ...mine, uploadId: publicUploadId(4) + '0'.repeat(24) },
      { ...mine, uploadId: `${publicUploadId(4)}abc` },
    ],
    'with more behind it': () => [{ ...mine, uploadId: `${mine.uploadId}0` }],
  }

  it.each(Object.keys(wrong))('%s names no upload for any operation', async (kind) => {
    await store.objects.put('box', 'source', 'bytes')
    for (const upload of (wrong[kind] as () => readonly UploadRef[])()) {
      for (const [name, use] of Object.entries(uses))
        expect(await codeOf(use(upload)), `${name} ${upload.uploadId}`).toBe('NoSuchUpload')
    }
    await store.uploads.uploadPart(mine, 1, 'x')
  })

  it('keeps the order in which uploads were started, and is what listings and the log lead to', async () => {
    const { entries } = await store.uploads.listPage('box')
    expect(entries).toMatchObject([{ uploadId: mine.uploadId }, { uploadId: theirs.uploadId }])
    expect(mine.uploadId < theirs.uploadId).toBe(true)
    expect((await store.uploads.head(mine)).uploadId).toBe(mine.uploadId)
    for await (const { type, seq, epoch, data } of store.log()) {
      if (type !== 'UploadStarted') continue
      const id = await store.uploads.idOf({ bucket: data.bucket, key: data.key, upload: seq, epoch })
      expect([mine.uploadId, theirs.uploadId]).toContain(id)
    }
  })

  it('marks a place in a listing, also with a MAC of an earlier secret', async () => {
    for (const uploadIdMarker of [mine.uploadId, changedAt(mine.uploadId, 20)]) {
      const page = await store.uploads.listPage('box', { keyMarker: 'k', uploadIdMarker })
      expect(page.entries).toMatchObject([{ uploadId: theirs.uploadId }])
    }
    expect(await codeOf(store.uploads.listPage('box', { keyMarker: 'k', uploadIdMarker: 'u123' }))).toBe(
      'InvalidArgument',
    )
  })

  it('is another under another secret; listings then give good ones', async () => {
    const other = await openEngine({ ...ports, secret: { read: async () => new Uint8Array(32).fill(8) } })
    expect(await codeOf(other.uploads.head(mine))).toBe('NoSuchUpload')
    const [listed] = (await other.uploads.listPage('box')).entries
    expect(listed).toMatchObject({ key: 'k' })
    await other.uploads.uploadPart(listed as UploadInfo, 1, 'x')
  })

  it('is made with a secret of its own where a store has none', async () => {
    const ids = []
    for (let i = 0; i < 2; i++) {
      const { next } = ports.ids
      const fleeting = await openEngine({
        ...memoryPorts(),
        ids: { next: () => `${i}${next().slice(1)}` },
      })
      await fleeting.buckets.create('box')
      ids.push((await fleeting.uploads.create('box', 'k')).uploadId)
    }
    expect(ids[0]).not.toBe(ids[1])
    expect(ids[0]?.slice(0, 13)).toBe(ids[1]?.slice(0, 13))
  })

  it('is not made while the secret cannot be read, and no upload is begun', async () => {
    let isBroken = true
    const broken = {
      read: async () => {
        if (isBroken) throw new Error('no secret')
        return new Uint8Array(32)
      },
    }
    const other = await openEngine({ ...memoryPorts(), secret: broken })
    await other.buckets.create('box')
    await expect(other.uploads.create('box', 'k')).rejects.toThrow('no secret')
    expect(other.seq).toBe(1)
    isBroken = false
    await other.uploads.create('box', 'k')
  })
})
