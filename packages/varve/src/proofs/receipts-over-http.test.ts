/** Receipts of writes over S3, by a worker, and by a store that another process has open. */
import { createHash } from 'node:crypto'
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attachStore } from '../attached/attach-store.ts'
import { createFetchHandler, createIdentity, type FetchHandler, parsePolicy, signRequest } from '../http.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { memoryStore } from '../store/memory-store.ts'
import { type LinkedStores, linkedStores } from '../workers/linked-stores.fixture.ts'
import { checkCheckpoint, checkProof } from './proofs.ts'

const scratch = scratchDirectory()
const receipt = true

const allows = (...actions: readonly string[]) =>
  parsePolicy({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }] })
const identities = [
  createIdentity({ name: 'root', accessKeyId: 'ROOT', secretAccessKey: 'root-secret-secret', root: true }),
  ...['s3:*', 'varve:ReadCheckpoints'].map((_, i, actions) =>
    createIdentity({
      name: `person-${i}`,
      accessKeyId: `PERSON-${i}`,
      secretAccessKey: 'person-secret-secret',
      policy: allows(...actions.slice(0, i + 1)),
    }),
  ),
]
const [root, writer, receiver] = identities

let store: Store
let handler: FetchHandler

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('box', { versioning: 'Enabled' })
  handler = await createFetchHandler({ store, controlStore: () => store, identities })
})
afterEach(() => store.close())

/** Closed when the test has ended. */
const kept: { close(): Promise<void> }[] = []
function closing<S extends { close(): Promise<void> }>(opened: S): S {
  kept.push(opened)
  return opened
}
afterEach(async () => {
  for (const opened of kept.splice(0)) await opened.close()
})

interface Sending {
  readonly by?: (typeof identities)[number] | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

async function send(method: string, path: string, { by = root, headers = {}, body = '' }: Sending = {}) {
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const { accessKeyId = '', secretAccessKey = '' } = by ?? {}
  const payloadHash = createHash('sha256').update(body).digest('hex')
  const request = {
    method,
    rawPath,
    rawQuery,
    headers: [['host', 'store.example'] as const, ...Object.entries(headers)],
  }
  const keys = { accessKeyId, secretAccessKey, region: 'us-east-1', now: Date.now(), payloadHash }
  const signed = signRequest(request, keys)
  const init = { method, headers: signed.headers.map(([name, value]) => [name, value] as [string, string]) }
  const sent = method === 'GET' || body === '' ? init : { ...init, body }
  return handler(new Request(`http://store.example${path}`, sent))
}

const wanted = { 'x-varve-receipt': 'true' }

/** Fetches the receipt that an answer names, and checks it and the checkpoint in the answer. */
async function received(answer: Response) {
  const { headers } = answer
  const checkpoint = Buffer.from(headers.get('x-varve-checkpoint') ?? '', 'base64').toString()
  const key = await store.proofs.key()
  const { size } = await checkCheckpoint(checkpoint, key)
  const path = headers.get('x-varve-receipt') ?? ''
  const by = await send('GET', `${path}&checkpoint=${encodeURIComponent(checkpoint)}`)
  const { text } = (await by.json()) as { text: string }
  const proof = await checkProof(text, key)
  expect(proof.size).toBe(size)
  return proof
}

describe('a write over S3 with x-varve-receipt', () => {
  it('answers with a checkpoint that covers its event, and where its receipt is', async () => {
    const put = await send('PUT', '/box/a', { headers: wanted, body: 'bytes' })
    expect(put.status).toBe(200)
    expect(await received(put)).toMatchObject({
      seq: Number(put.headers.get('x-varve-seq')),
      event: { type: 'VersionAdded', data: { bucket: 'box', key: 'a', size: 5 } },
    })
    const copy = await send('PUT', '/box/b', { headers: { ...wanted, 'x-amz-copy-source': '/box/a' } })
    expect((await received(copy)).event).toMatchObject({ data: { key: 'b' } })
    const marker = await send('DELETE', '/box/a', { headers: wanted })
    expect(marker.status).toBe(204)
    expect((await received(marker)).event.type).toBe('DeleteMarkerAdded')
  })

  it('of an upload that is completed has one too', async () => {
    const upload = await store.uploads.create('box', 'c')
    const { etag } = await store.uploads.uploadPart(upload, 1, 'part')
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"${etag}"</ETag></Part></CompleteMultipartUpload>`
    const query = `uploadId=${encodeURIComponent(upload.uploadId)}`
    const completed = await send('POST', `/box/c?${query}`, { headers: wanted, body })
    expect(await completed.text()).toContain('<Key>c</Key>')
    expect((await received(completed)).event).toMatchObject({ type: 'UploadCompleted', data: { key: 'c' } })
  })

  it('has no such headers if it changed nothing, or asks for none', async () => {
    const asking: readonly Record<string, string>[] = [{}, { 'x-varve-receipt': 'false' }]
    for (const headers of asking) {
      const put = await send('PUT', '/box/a', { headers, body: 'bytes' })
      expect([put.status, put.headers.get('x-varve-receipt')]).toEqual([200, null])
    }
  })

  it('needs the permission to read checkpoints, and writes nothing without it', async () => {
    const refused = await send('PUT', '/box/a', { by: writer, headers: wanted, body: 'bytes' })
    expect(refused.status).toBe(403)
    expect(await store.objects.exists('box', 'a')).toBe(false)
    expect((await send('PUT', '/box/a', { by: writer, body: 'bytes' })).status).toBe(200)
    expect((await send('PUT', '/box/a', { by: receiver, headers: wanted, body: 'bytes' })).status).toBe(200)
  })

  it('is refused with another value, and on operations that have no receipt', async () => {
    const { seq } = store
    const other = await send('PUT', '/box/a', { headers: { 'x-varve-receipt': 'yes' }, body: 'bytes' })
    expect([other.status, await other.text()]).toEqual([400, expect.stringContaining('InvalidArgument')])
    for (const [method, path] of [
      ['GET', '/box/a'],
      ['PUT', '/box?versioning'],
      ['POST', '/box/a?uploads'],
      ['POST', '/box?delete'],
    ] as const) {
      const answer = await send(method, path, { headers: wanted, body: 'x' })
      expect([path, answer.status]).toEqual([path, 400])
    }
    expect(store.seq).toBe(seq)
  })
})

describe('a write with a receipt', () => {
  let linked: LinkedStores

  beforeEach(async () => {
    linked = await linkedStores(scratch.next())
    await linked.store.buckets.create('box')
  })
  afterEach(() => linked.close())

  it('by a worker is signed by the process that owns the log', async () => {
    const worker = await linked.hire()
    const put = await worker.store.objects.put('box', 'a', 'bytes', { receipt })
    const proof = await checkProof(put.receipt ?? '', await linked.store.proofs.key(), 'bytes')
    expect(proof).toMatchObject({ seq: put.seq, event: { data: { key: 'a' } } })
  })

  it('to a store that another process has open gets it too', async () => {
    const attached = closing(await attachStore(linked.dir))
    const put = await attached.objects.put('box', 'a', 'bytes', { receipt })
    const key = await attached.proofs.key()
    expect(await checkProof(put.receipt ?? '', key)).toMatchObject({ seq: put.seq })
    const deleted = await attached.objects.delete('box', 'a', { receipt })
    expect((await checkProof(deleted.receipt ?? '', key)).event.type).toBe('VersionRemoved')
    const { text } = await attached.proofs.proveEvent(put.seq)
    expect((await checkProof(text, key)).seq).toBe(put.seq)
  })
})
