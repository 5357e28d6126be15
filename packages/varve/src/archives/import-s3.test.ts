/** Imports from servers of S3: here the server for tests, which is asked as any other is. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { importS3, memoryStore, type Store } from '../index.ts'
import { startS3, type TestS3 } from '../testing.ts'
import { varve } from '../cli/run-main.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'

const scratch = scratchDirectory()
const large = Buffer.alloc(10_000_000, 'large ')
let server: TestS3
let target: Store

const from = (more: object = {}) => ({
  bucket: 'photos',
  endpoint: server.url,
  region: server.region,
  credentials: server.credentials,
  retries: 1,
  ...more,
})

beforeEach(async () => {
  server = await startS3({ buckets: ['photos'] })
  target = await memoryStore()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.stop()
  await target.close()
})

/** Answers requests of one kind with bytes that do not end, and others as a server does. */
async function endlessServer(kind: RegExp) {
  let sent = 0
  const http = createServer(({ method = '', url = '' }, response) => {
    if (kind.test(`${method} ${url}`)) {
      const send = (): void => {
        while (!response.destroyed && response.write(block)) sent += block.length
      }
      response.statusCode = url.includes('refused') ? 403 : 200
      response.setHeader('etag', '"a"').on('drain', send)
      return send()
    }
    if (url.includes('versioning')) return response.end('<VersioningConfiguration/>')
    if (url.includes('list-type'))
      return response.end(objectsPage('a').replace('<IsTruncated>true', '<IsTruncated>false'))
    return response.setHeader('etag', '"a"').setHeader('x-amz-tagging-count', '1').end('a')
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return { endpoint, sent: () => sent, close: () => http.close().closeAllConnections() }
}

const block = Buffer.alloc(64 * 1024, ' ')

async function versionsOf(store: Store): Promise<string[]> {
  const found: string[] = []
  for await (const entry of store.versions.list('photos')) {
    if (entry.kind === 'prefix') continue
    const { key, versionId } = entry
    const text =
      entry.kind === 'marker' ? '(deleted)' : await (await store.versions.get('photos', key, versionId)).text()
    found.push(`${key}: ${text.slice(0, 20)}`)
  }
  return found
}

/** Answers each listing with the same page, which says that the listing goes on. */
async function repeatingServer(listing: string): Promise<{ readonly endpoint: string; close(): void }> {
  const http = createServer(({ url = '' }, response) => {
    const isVersioned = listing.startsWith('<ListVersions')
    if (url.includes('versioning')) {
      response.end(
        `<VersioningConfiguration>${isVersioned ? '<Status>Enabled</Status>' : ''}</VersioningConfiguration>`,
      )
    } else if (url.includes('list-type') || url.includes('versions')) response.end(listing)
    else response.setHeader('etag', '"0cc175b9c0f1b6a831c399e269772661"').end('a')
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return { endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close: () => http.close() }
}

const objectsPage = (...keys: string[]): string =>
  `<ListBucketResult><IsTruncated>true</IsTruncated>${keys
    .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
    .join('')}</ListBucketResult>`

const versionsPage = (...versions: [key: string, id: string][]): string =>
  `<ListVersionsResult><IsTruncated>true</IsTruncated>${versions
    .map(([key, id]) => `<Version><Key>${key}</Key><VersionId>${id}</VersionId><Size>1</Size></Version>`)
    .join('')}</ListVersionsResult>`

describe('a bucket of a server', () => {
  it('comes with headers, metadata, tags and storage class', async () => {
    await server.store.objects.put('photos', 'ü/cat 1+1.jpg', 'meow', {
      contentType: 'image/jpeg',
      contentEncoding: 'identity',
      cacheControl: 'no-cache',
      metadata: { place: 'home' },
      tags: [{ key: 'a', value: 'b' }],
      storageClass: 'STANDARD_IA',
    })
    await server.store.objects.put('photos', 'large', large)
    await server.store.objects.put('photos', 'empty', '')
    expect(await importS3(target, from())).toMatchObject({ bucket: 'photos', created: true, history: false, stored: 3 })
    expect(await target.objects.head('photos', 'ü/cat 1+1.jpg')).toMatchObject({
      contentType: 'image/jpeg',
      cacheControl: 'no-cache',
      metadata: { place: 'home' },
      tagCount: 1,
      storageClass: 'STANDARD_IA',
    })
    expect(large.equals(await (await target.objects.get('photos', 'large')).bytes())).toBe(true)
    expect(await importS3(target, from())).toMatchObject({ stored: 0, unchanged: 3, created: false })
  })

  it.each(['Zoë', 'é'.repeat(700), '日本 and plain words', 'x =?UTF-8?Q?no_word'])(
    'comes with the metadata that it has, and not with the form of the wire: %j',
    async (name) => {
      const metadata = { name, plain: 'x' }
      const headers = { contentType: 'text/plain', contentDisposition: 'attachment; filename="Zoë"' }
      await server.store.objects.put('photos', 'a', 'one', { metadata, ...headers })
      expect(await importS3(target, from())).toMatchObject({ stored: 1 })
      expect(await target.objects.head('photos', 'a')).toMatchObject({ metadata, ...headers })
      await target.buckets.create('copied')
      await target.objects.put('copied', 'a', 'one', { metadata, ...headers })
      expect(await importS3(target, from(), { bucket: 'copied' })).toMatchObject({ stored: 0, unchanged: 1 })
    },
  )

  it('comes with every version and delete marker in order, also those of one second', async () => {
    const { objects, buckets } = server.store
    await objects.put('photos', 'a', 'before')
    await buckets.setVersioning('photos', 'Enabled')
    for (const text of ['one', 'two']) await objects.put('photos', 'a', text)
    await objects.delete('photos', 'a')
    await objects.put('photos', 'a', 'three')
    await objects.delete('photos', 'a')
    await objects.delete('photos', 'never')
    await objects.put('photos', 'a/b', 'beneath')
    expect(await importS3(target, from())).toMatchObject({ history: true, stored: 5, markers: 3 })
    expect(await versionsOf(target)).toEqual(await versionsOf(server.store))
    expect(await importS3(target, from())).toMatchObject({ stored: 0, markers: 0, unchanged: 8 })
  })

  it('comes without its history, and in part, if that is asked for', async () => {
    await server.store.buckets.setVersioning('photos', 'Enabled')
    for (const text of ['one', 'two']) await server.store.objects.put('photos', 'a/x', text)
    await server.store.objects.put('photos', 'b', 'other')
    const options = { prefix: 'a/', history: false, bucket: 'here' }
    expect(await importS3(target, from(), options)).toMatchObject({ bucket: 'here', history: false, stored: 1 })
    expect(await (await target.objects.get('here', 'a/x')).text()).toBe('two')
  })

  it('of parts is compared by its bytes, and stored once', async () => {
    const { uploads } = server.store
    const upload = await uploads.create('photos', 'parts')
    const parts = [
      await uploads.uploadPart(upload, 1, large.subarray(0, 6_000_000)),
      await uploads.uploadPart(upload, 2, 'end'),
    ]
    await uploads.complete(upload, parts)
    expect(await importS3(target, from())).toMatchObject({ stored: 1 })
    expect(await importS3(target, from())).toMatchObject({ unchanged: 1 })
    await target.objects.put('photos', 'parts', 'another')
    await expect(importS3(target, from())).rejects.toMatchObject({ code: 'ImportConflict' })
  })

  it.each([
    ['no such bucket', { bucket: 'absent' }, 'NoSuchBucket'],
    ['wrong keys', { credentials: { accessKeyId: 'WRONG', secretAccessKey: 'wrong-wrong' } }, 'InvalidAccessKeyId'],
    ['no server', { endpoint: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
  ])('is refused with the code of the server: %s', async (_name, more, kind) => {
    await expect(importS3(target, from(more))).rejects.toMatchObject({ code: 'SourceFailed', details: { kind } })
  })

  it.each([
    ['objects', objectsPage('p/a', 'z')],
    ['versions', versionsPage(['p/a', '1'], ['z', '1'])],
    ['objects before it', objectsPage('a')],
  ])('replaces nothing outside of the prefix, whatever the server lists: %s', async (_name, listing) => {
    const { endpoint, close } = await repeatingServer(listing.replace('<IsTruncated>true', '<IsTruncated>false'))
    try {
      await target.buckets.create('photos', { versioning: 'Enabled' })
      for (const key of ['a', 'z']) await target.objects.put('photos', key, 'mine')
      const importing = importS3(target, from({ endpoint }), { prefix: 'p/', onConflict: 'replace' })
      await expect(importing).rejects.toMatchObject({ code: 'SourceFailed', details: { kind: 'WrongAnswer' } })
      expect(await versionsOf(target)).toEqual(['a: mine', 'z: mine'])
    } finally {
      close()
    }
  })

  it.each([
    ['repeats a page of objects', objectsPage('a', 'b')],
    ['lists objects in no order', objectsPage('b', 'a')],
    ['repeats a page of versions of several keys', versionsPage(['a', '1'], ['b', '2'])],
    ['repeats a page of versions of one key', versionsPage(['a', '2'], ['a', '1'])],
    ['lists versions in no order', versionsPage(['a', '2'], ['b', '1'], ['a', '1'])],
  ])('ends the import if the server %s', async (_name, listing) => {
    const { endpoint, close } = await repeatingServer(listing)
    try {
      await expect(importS3(target, from({ endpoint }))).rejects.toMatchObject({
        code: 'SourceFailed',
        details: { kind: 'WrongAnswer' },
      })
    } finally {
      close()
    }
  })

  it.each([
    ['the state of versioning', /versioning/],
    ['a listing', /list-type/],
    ['an object', /GET \/photos\/a\?x-id/],
    ['tags', /tagging/],
  ])('ends the import if the server does not end %s', async (_name, kind) => {
    const { endpoint, sent, close } = await endlessServer(kind)
    try {
      await expect(importS3(target, from({ endpoint, timeoutMs: 60_000 }))).rejects.toMatchObject({
        code: 'SourceFailed',
        details: { kind: 'AnswerTooLong' },
      })
      expect(sent()).toBeLessThan(64 * 1024 * 1024)
    } finally {
      close()
    }
  })

  it('is imported by a command', async () => {
    const dir = scratch.next()
    await (await openStore(dir)).close()
    await server.store.objects.put('photos', 'a', 'one')
    vi.stubEnv('AWS_ACCESS_KEY_ID', server.credentials.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.credentials.secretAccessKey)
    const args = ['import', '--from', server.url, 's3://photos', 's3://here', '--dir', dir]
    expect(await varve(args)).toEqual({ status: 0, stdout: 's3://here (new)  stored 1, 3 bytes\n', stderr: '' })
    expect((await varve(['cat', 's3://here/a', '--dir', dir])).stdout).toBe('one')
    expect(await varve(['import', 's3://photos', '--newest-only', '--dir', dir])).toMatchObject({ status: 2 })
  })
})
