/** The store behind `varve serve`, in a process of its own, reached over the wire. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Answer, call, type CallOptions } from '../../acceptance/support/call.ts'
import { makingOf } from '../../layouts/layout-parts.ts'
import type { Place } from '../load/load.ts'
import { type Holder, Refusal, type Target, type UploadPlace } from './target.ts'

const built = fileURLToPath(new URL('../../../../packages/varve/bin/varve.js', import.meta.url))
/** A run of vitest sets it: the bundle starts in half the time. */
const binary = process.env['BUNDLED_VARVE'] ?? built
const identity = { accessKeyId: 'AK-root', secretAccessKey: 'the-secret-of-root' }
/** The longest pause between two attempts to open the store again, and some more. */
const recoverMsMax = 40_000

type Ask = (line: string, options?: CallOptions) => Promise<Answer>

export async function holdServed({ directory, layout: making }: Place): Promise<Holder> {
  const { layout, inlineMax } = makingOf(making)
  if (inlineMax !== undefined) throw new TypeError('How much rides in the journal a server cannot be told.')
  const own = ['--port', '0', '--json', ...(layout === undefined ? [] : ['--layout', layout])]
  const env = {
    ...process.env,
    VARVE_ACCESS_KEY_ID: identity.accessKeyId,
    VARVE_SECRET_ACCESS_KEY: identity.secretAccessKey,
  }
  const server = spawn(process.execPath, [binary, 'serve', directory, ...own], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit')
  let ready: { readonly url: string } | undefined
  for await (const line of createInterface({ input: server.stdout })) {
    const output = JSON.parse(line) as { readonly kind: string; readonly url: string }
    if (output.kind !== 'ready') continue
    ready = output
    break
  }
  if (ready === undefined) throw new Error('The server ended before it was ready.')
  server.stdout.resume()
  const { host, port } = new URL(ready.url)
  const agent = new Agent({ keepAlive: true })
  const service = { host, port: Number(port), dir: directory, credentials: () => identity, stop: async () => undefined }
  const ask: Ask = (line, options = {}) => call(service, line, { agent, ...options })
  const target = targetOf(ask)
  return {
    target,
    pid: server.pid as number,
    async recover() {
      for (const until = performance.now() + recoverMsMax; ; await delay(100)) {
        const { status, text } = await ask('PUT /recovered')
        if (status === 200) break
        if (performance.now() > until) throw new Error(`The service does not come back: ${status} ${text}`)
      }
      await target.deleteBucket('recovered')
    },
    async close() {
      agent.destroy()
      server.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`The server ended with ${code}.`)
    },
  }
}

function targetOf(ask: Ask): Target {
  const sent = async (line: string, options?: CallOptions): Promise<Answer> => {
    const answer = await ask(line, options)
    if (answer.status === 507) throw new Refusal('full', answer.text)
    if (answer.status === 503) throw new Refusal('unavailable', answer.text)
    // An answer of 200 that was begun early may still turn out an error.
    if (answer.status >= 300 || answer.code() !== undefined) throw new Error(`${line}: ${answer.status} ${answer.text}`)
    return answer
  }
  const names = async (line: string, each: string, name: string): Promise<string[]> =>
    (await sent(line))
      .xml()
      .all(each)
      .map((element) => element.get(name) ?? '')
  const at = ({ bucket, key, uploadId }: UploadPlace) => `/${bucket}/${key}?uploadId=${uploadId}`

  return {
    createBucket: async (bucket) => void (await sent(`PUT /${bucket}`)),
    deleteBucket: async (bucket) => void (await sent(`DELETE /${bucket}`)),
    enableVersioning: async (bucket) =>
      void (await sent(`PUT /${bucket}?versioning`, {
        body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
      })),
    put: async (bucket, key, body) => (await sent(`PUT /${bucket}/${key}`, { body })).headers['x-svc-version-id'],
    copy: async (bucket, from, key) =>
      void (await sent(`PUT /${bucket}/${key}`, { headers: { 'x-svc-copy-source': `/${bucket}/${from}` } })),
    delete: async (bucket, key) => void (await sent(`DELETE /${bucket}/${key}`)),
    deleteVersion: async (bucket, key, id) => void (await sent(`DELETE /${bucket}/${key}?versionId=${id}`)),
    async deleteMany(bucket, keys) {
      const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`
      const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
      const [error] = (await sent(`POST /${bucket}?delete`, { body, headers })).xml().all('Error')
      if (error === undefined) return
      const code = error.get('Code')
      if (code === 'ServiceUnavailable') throw new Refusal('unavailable', code)
      throw new Error(`Deleting many: ${code}`)
    },
    async createUpload(bucket, key) {
      const uploadId = (await sent(`POST /${bucket}/${key}?uploads`)).xml().get('UploadId') ?? ''
      return { bucket, key, uploadId }
    },
    async uploadPart(upload, partNumber, body) {
      const answer = await sent(`PUT ${at(upload)}&partNumber=${partNumber}`, { body })
      return { partNumber, etag: (answer.headers['etag'] ?? '').replaceAll('"', '') }
    },
    async copyPart(upload, partNumber, from) {
      const headers = { 'x-svc-copy-source': `/${upload.bucket}/${from}` }
      const answer = await sent(`PUT ${at(upload)}&partNumber=${partNumber}`, { headers })
      return { partNumber, etag: (answer.xml().get('ETag') ?? '').replaceAll('"', '') }
    },
    async complete(upload, parts) {
      const listed = parts.map(
        ({ partNumber, etag }) => `<Part><PartNumber>${partNumber}</PartNumber><ETag>"${etag}"</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
      await sent(`POST ${at(upload)}`, { body })
    },
    abort: async (upload) => void (await sent(`DELETE ${at(upload)}`)),

    async get(bucket, key, versionId) {
      const answer = await ask(`GET /${bucket}/${key}${versionId === undefined ? '' : `?versionId=${versionId}`}`)
      if (answer.status === 404) return undefined
      if (answer.status !== 200) throw new Error(`GET /${bucket}/${key}: ${answer.status} ${answer.text}`)
      return answer.text
    },
    hasBucket: async (bucket) => (await ask(`HEAD /${bucket}`)).status === 200,
    isVersioned: async (bucket) => (await sent(`GET /${bucket}?versioning`)).xml().get('Status') === 'Enabled',
    uploads: (bucket) => names(`GET /${bucket}?uploads`, 'Upload', 'Key'),
    parts: async (upload) => (await names(`GET ${at(upload)}`, 'Part', 'PartNumber')).map(Number),
  }
}
