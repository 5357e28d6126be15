/** Answers with status 200 of something that is not S3: each command of the sources meets all of them. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { S3Client } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { blobKeys } from './blob-keys.ts'
import { deleteObjects } from './delete-objects.ts'
import { signs } from './s3-answers.ts'
import { S3Place } from './s3-place.ts'
import { S3Requests } from './s3-requests.ts'
import { createClient, loadSdk, type Sdk } from './s3-sdk.ts'

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const documentOf = (root: string): string => `<?xml version="1.0"?><${root}><Name>b</Name></${root}>`
const foreign: readonly (readonly [string, Answer])[] = [
  ['nothing', {}],
  ['a page', { body: '<!DOCTYPE html><html><body>Log in</body></html>', headers: { 'content-type': 'text/html' } }],
  ['JSON', { body: '{"ok":true}', headers: { 'content-type': 'application/json' } }],
  ['a document of another service', { body: documentOf('ListResult') }],
  ['a page about a document of S3', { body: '<html><ListBucketResult></ListBucketResult></html>' }],
  ['an error of S3', { body: '<Error><Code>InternalError</Code><Message>Later.</Message></Error>' }],
]

let answer: Answer
let http: ReturnType<typeof createServer>
let sdk: Sdk
let client: S3Client

beforeEach(async () => {
  http = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(answer.status ?? 200, answer.headers).end(answer.body))
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  sdk = await loadSdk()
  client = createClient(sdk, {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    region: 'eu',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    forcePathStyle: true,
    connections: 1,
    timeoutMs: 10_000,
  })
})
afterEach(() => {
  client.destroy()
  http.close().closeAllConnections()
})

const input = {
  Bucket: 'b',
  Key: 'k',
  Body: 'bytes',
  CopySource: 'b/k',
  UploadId: 'u',
  PartNumber: 1,
  MultipartUpload: { Parts: [{ ETag: '"e"', PartNumber: 1 }] },
  Delete: { Objects: [{ Key: 'k' }] },
}

function send(name: string): Promise<unknown> {
  const Command = (sdk as unknown as Record<string, new (given: object) => never>)[name]
  if (Command === undefined) throw new Error(`The SDK has no ${name}.`)
  return client.send(new Command(input))
}

/** What is left unread would keep its connection. */
const release = (sent: unknown): void => (sent as { Body?: { destroy?(): void } }).Body?.destroy?.()

it.each([...signs.keys()])('%s takes no other answer than one of S3', async (name) => {
  for (const [what, given] of foreign) {
    answer = given
    await expect(send(name).then(release), what).rejects.toBeInstanceOf(Error)
  }
})

it.each([...signs])('%s takes an answer of S3', async (name, sign) => {
  answer =
    'root' in sign
      ? { body: documentOf(sign.root) }
      : 'empty' in sign
        ? { status: 204 }
        : { headers: { etag: '"e"', 'content-length': '0' } }
  release(await send(name))
})

it('each command that the sources send is in the table', () => {
  const home = fileURLToPath(new URL('../', import.meta.url))
  const sources = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^s3-(blobs|source).*(?<!\.test)\.ts$/.test(path),
  )
  const sent = sources.flatMap((path) =>
    [...readFileSync(`${home}${path}`, 'utf8').matchAll(/sdk\.(\w+Command)\(/g)].map(([, name = '']) => name),
  )
  expect([...new Set(sent)].sort()).toEqual([...signs.keys()].sort())
})

it('a blob counts as deleted if the answer names it', async () => {
  const requests = new S3Requests({ timeoutMs: 10_000, retries: 0, connections: 1, renew: async () => undefined })
  const place = new S3Place({ sdk, client, requests, bucket: 'b', keys: blobKeys('p/') })
  const named = (...keys: readonly string[]): string =>
    keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('')
  answer = { body: `<DeleteResult>${named('p/1')}</DeleteResult>` }
  await expect(deleteObjects(place, ['p/1', 'p/2'])).rejects.toMatchObject({
    code: 'BlobFailed',
    details: { kind: 'WrongAnswer' },
  })
  answer = { body: `<DeleteResult>${named('p/1', 'p/2')}</DeleteResult>` }
  await deleteObjects(place, ['p/1', 'p/2'])
  const missing = '<Error><Key>p/2</Key><Code>NoSuchKey</Code></Error>'
  answer = { body: `<DeleteResult>${named('p/1')}${missing}</DeleteResult>` }
  await deleteObjects(place, ['p/1', 'p/2'])
})
