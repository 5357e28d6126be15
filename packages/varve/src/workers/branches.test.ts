/**
 * Two branches of the log of a directory: clients that hold ids of the one use them in the other, through the library, an
 * attached store, a worker and S3.
 */
import { createHash } from 'node:crypto'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createFetchHandler, createIdentity, signRequest, type FetchHandler } from '../http.ts'
import { beginEpoch, isStorageError, type Store, tipAt, type UploadRef } from '@varve/core'
import { nodeHashing, randomIds } from '@varve/adapters'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attachStore } from '../attached/attach-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { type LinkedStores, linkedStores } from './linked-stores.fixture.ts'

const scratch = scratchDirectory()
const options = { inlineMax: 100, retentionMs: 1_000_000 }
const credentials = { accessKeyId: 'AK-root', secretAccessKey: 'the-secret-of-root' }
const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
const by = { id: 'ann', name: 'Ann' }

type Face = Pick<Store, 'objects' | 'versions' | 'uploads' | 'at'>

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )

let linked: LinkedStores
let end: () => Promise<void>
const faces = new Map<string, Face>()
/** The ids that a client of the lost branch holds. */
let before: string
let lost: readonly string[]
let marker: string
let lostUpload: UploadRef
/** Those that a client of the branch that goes on holds. */
let kept: readonly string[]
let keptUpload: UploadRef

/** The versions of the lost branch are at the positions that versions of the other one have. */
beforeAll(async () => {
  const [first, second] = [scratch.next(), scratch.next()]
  const base = await openStore(first, options)
  await base.buckets.create('box', { versioning: 'Enabled' })
  before = (await base.objects.put('box', 'k', 'before')).versionId
  await base.close()
  await cp(first, second, { recursive: true })
  await rm(join(second, 'lock'), { recursive: true, force: true })
  const one = await openStore(first, options)
  lost = []
  for (let i = 0; i < 6; i++) lost = [...lost, (await one.objects.put('box', 'k', `lost ${i}`)).versionId]
  marker = (await one.objects.delete('box', 'k')).versionId ?? ''
  lostUpload = await one.uploads.create('box', 'k')
  await one.close()
  linked = await linkedStores(second, options)
  const { store } = linked
  const from = await tipAt({ journal: store.owner.log, hashing: await nodeHashing() }, store.seq)
  await beginEpoch(store.owner, randomIds, { from, reason: 'restored', by })
  kept = []
  for (let i = 0; i < 9; i++) kept = [...kept, (await store.objects.put('box', 'k', `kept ${i}`)).versionId]
  keptUpload = await store.uploads.create('box', 'k')
  const [attached, worker] = [await attachStore(second), await linked.hire()]
  faces.set('the library', store).set('an attached store', attached).set('a worker', worker.store)
  end = async () => {
    await attached.close()
    await linked.close()
  }
})
afterAll(() => end())

describe.each(['the library', 'an attached store', 'a worker'])('through %s', (name) => {
  const face = (): Face => faces.get(name) as Face
  const textOf = async (id: string) => (await face().versions.get('box', 'k', id)).text()

  it('ids from before and of the branch show their versions', async () => {
    expect(await textOf(before)).toBe('before')
    expect(await Promise.all(kept.map(textOf))).toEqual(kept.map((_, i) => `kept ${i}`))
    const made = await face().objects.put('box', 'other', 'body')
    expect(made.versionId.slice(13, 21)).toBe(kept[0]?.slice(13, 21))
    expect((await face().versions.head('box', 'other', made.versionId)).size).toBe(4)
    const { versionId = '' } = await face().objects.delete('box', 'other')
    expect(await codeOf(face().versions.head('box', 'other', versionId))).toBe('MethodNotAllowed')
    const upload = await face().uploads.create('box', 'other')
    expect((await face().uploads.head(upload)).uploadId).toBe(upload.uploadId)
    await face().uploads.abort(upload)
  })

  it('ids of the lost branch show and change nothing', async () => {
    const { objects, versions, uploads } = face()
    for (const versionId of [...lost, marker]) {
      const uses = [
        versions.get('box', 'k', versionId),
        versions.head('box', 'k', versionId),
        objects.annotations('box', 'k', { versionId }),
        objects.annotate('box', 'k', { kind: 'tags' }, { versionId }),
        objects.copy({ bucket: 'box', key: 'k', versionId }, 'box', 'copy'),
        uploads.copyPart(keptUpload, 1, { bucket: 'box', key: 'k', versionId }),
      ]
      expect(await Promise.all(uses.map(codeOf))).toEqual(uses.map(() => 'NoSuchVersion'))
      expect(await versions.delete('box', 'k', versionId)).toMatchObject({ deleteMarker: false })
    }
    for (const use of [
      uploads.head(lostUpload),
      uploads.uploadPart(lostUpload, 1, 'x'),
      uploads.listPartsPage(lostUpload),
      uploads.complete(lostUpload, [{ partNumber: 1, etag: '0'.repeat(32) }]),
      uploads.abort(lostUpload),
    ])
      expect(await codeOf(use)).toBe('NoSuchUpload')
    expect(await Promise.all(kept.map(textOf))).toEqual(kept.map((_, i) => `kept ${i}`))
    expect((await uploads.head(keptUpload)).uploadId).toBe(keptUpload.uploadId)
  })

  it('listings go on after ids from before, and begin the key again after those that are lost', async () => {
    const idsAfter = async (versionIdMarker: string) => {
      const { entries } = await face().versions.listPage('box', { keyMarker: 'k', versionIdMarker, prefix: 'k' })
      return entries.map((entry) => 'versionId' in entry && entry.versionId)
    }
    expect(await idsAfter(before)).toEqual([])
    expect(await idsAfter(kept[0] ?? '')).toEqual([before])
    for (const id of [...lost, marker]) expect(await idsAfter(id)).toEqual([...kept.toReversed(), before])
  })
})

describe('over S3', () => {
  let handle: Promise<FetchHandler>
  beforeAll(() => {
    handle = createFetchHandler({ store: linked.store, identities })
  })

  async function ask(line: string, headers: Record<string, string> = {}): Promise<Response> {
    const [method = '', path = ''] = line.split(' ')
    const payloadHash = createHash('sha256').digest('hex')
    const given = { host: 'localhost', ...headers, 'content-length': '0' }
    const [rawPath = '', rawQuery = ''] = path.split('?')
    const signed = signRequest(
      { method, rawPath, rawQuery, headers: Object.entries(given) },
      { ...credentials, region: 'eu', now: Date.now(), payloadHash },
    )
    const sent = signed.headers.map(([name, value]): [string, string] => [name, value])
    return (await handle)(new Request(`http://localhost${path}`, { method, headers: sent }))
  }
  const codeIn = async (line: string, headers = {}): Promise<unknown> => {
    const response = await ask(line, headers)
    return [response.status, /<Code>(\w+)</.exec(await response.text())?.[1]]
  }

  it('ids from before and of the branch show their versions', async () => {
    expect(await (await ask(`GET /box/k?versionId=${before}`)).text()).toBe('before')
    const response = await ask(`GET /box/k?versionId=${kept[2]}`)
    expect([await response.text(), response.headers.get('x-amz-version-id')]).toEqual(['kept 2', kept[2]])
  })

  it('ids of the lost branch show and change nothing', async () => {
    for (const id of [...lost, marker]) {
      const missing = [404, 'NoSuchVersion']
      expect(await codeIn(`GET /box/k?versionId=${id}`)).toEqual(missing)
      expect(await codeIn(`HEAD /box/k?versionId=${id}`)).toEqual([404, undefined])
      expect(await codeIn(`GET /box/k?tagging&versionId=${id}`)).toEqual(missing)
      expect(await codeIn(`DELETE /box/k?tagging&versionId=${id}`)).toEqual(missing)
      const source = { 'x-amz-copy-source': `/box/k?versionId=${id}` }
      expect(await codeIn('PUT /box/copied', source)).toEqual(missing)
      expect(await codeIn(`PUT /box/k?partNumber=1&uploadId=${keptUpload.uploadId}`, source)).toEqual(missing)
      const deleted = await ask(`DELETE /box/k?versionId=${id}`)
      expect([deleted.status, deleted.headers.get('x-amz-delete-marker')]).toEqual([204, 'false'])
    }
    const { uploadId } = lostUpload
    expect(await codeIn(`PUT /box/k?partNumber=1&uploadId=${uploadId}`)).toEqual([404, 'NoSuchUpload'])
    expect(await codeIn(`GET /box/k?uploadId=${uploadId}`)).toEqual([404, 'NoSuchUpload'])
    expect(await codeIn(`DELETE /box/k?uploadId=${uploadId}`)).toEqual([404, 'NoSuchUpload'])
    expect(await (await ask(`GET /box/k?versionId=${kept[8]}`)).text()).toBe('kept 8')
  })

  it('listings go on after ids from before, and begin the key again after those that are lost', async () => {
    const idsAfter = async (id: string) => {
      const page = await (await ask(`GET /box?key-marker=k&prefix=k&version-id-marker=${id}&versions=`)).text()
      return [...page.matchAll(/<VersionId>(\w+)</g)].map(([, found]) => found)
    }
    // Markers of this dialect are the first entry of the page.
    expect(await idsAfter(kept[0] ?? '')).toEqual([kept[0], before])
    expect(await idsAfter(lost[5] ?? '')).toEqual([...kept.toReversed(), before])
    const uploads = await ask(`GET /box?key-marker=k&upload-id-marker=${lostUpload.uploadId}&uploads=`)
    expect(await uploads.text()).toContain(keptUpload.uploadId)
  })
})
