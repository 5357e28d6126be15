/** The service as a test uses it: requests by line, and helpers for the first steps of nearly every test. */
import { Agent } from 'node:http'
import { expect } from 'vitest'
import { call, type Answer, type CallOptions } from './call.ts'
import { startServer, type ServerOptions, type TestServer } from './server.ts'
import type { XmlElement } from './xml.ts'

export type Versioning = 'Enabled' | 'Suspended'

export interface Made {
  /** As the header has it, quotes included. */
  readonly etag: string
  /** Absent when the answer named none. */
  readonly versionId: string | undefined
}

export interface TestService {
  readonly server: TestServer
  /** `ask('PUT /bucket?versioning', { body })` */
  ask(line: string, options?: CallOptions): Promise<Answer>
  /** A name no other bucket of this server has. */
  name(): string
  /** Creates a bucket, owned by root or by `as`. */
  bucket(options?: { readonly versioning?: Versioning; readonly as?: string }): Promise<string>
  setVersioning(bucket: string, status: Versioning): Promise<void>
  put(path: string, body?: string | Uint8Array): Promise<Made>
  /** Root element of `GET /bucket?versions&query`. */
  list(bucket: string, query?: string): Promise<XmlElement>
  /** Starts an upload and sends parts, by number. */
  upload(path: string, parts?: Readonly<Record<number, string | Uint8Array>>): Promise<Upload>
  stop(): Promise<void>
}

export interface Upload {
  readonly path: string
  readonly uploadId: string
  /** By part number, quotes included. */
  readonly etags: ReadonlyMap<number, string>
  part(number: number, body: string | Uint8Array): Promise<void>
  /** Completes with the parts listed; by default all, in order. */
  complete(parts?: readonly ListedPart[], options?: CallOptions): Promise<Answer>
}

export interface ListedPart {
  readonly PartNumber: number | string
  readonly ETag: string
}

/** The least a part other than the last may have. */
export const partBytesMin = 5 * 1024 * 1024

export async function openTestService(options: ServerOptions = {}): Promise<TestService> {
  return testServiceOf(await startServer(options), options)
}

export function testServiceOf(server: TestServer, options: Pick<ServerOptions, 'dialect'> = {}): TestService {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const region = options.dialect === 'aws' ? 'us-east-1' : 'eu'
  const ask: TestService['ask'] = (line, requested = {}) => call(server, line, { agent, region, ...requested })
  let buckets = 0
  const name = () => `bucket-${(buckets += 1)}`
  const setVersioning: TestService['setVersioning'] = async (bucket, status) => {
    expectStatus(await ask(`PUT /${bucket}?versioning`, { body: versioningBody(status) }), 200)
  }
  return {
    server,
    ask,
    name,
    async bucket({ versioning, as = 'root' } = {}) {
      const bucket = name()
      expectStatus(await ask(`PUT /${bucket}`, { as }), 200)
      if (versioning !== undefined) await setVersioning(bucket, versioning)
      return bucket
    },
    setVersioning,
    async put(path, body = path) {
      const answer = expectStatus(await ask(`PUT ${path}`, { body }), 200)
      return { etag: answer.headers['etag'] ?? '', versionId: answer.headers['x-svc-version-id'] }
    },
    async list(bucket, query = '') {
      return expectStatus(await ask(`GET /${bucket}?versions${query === '' ? '' : `&${query}`}`), 200).xml()
    },
    upload: (path, parts = {}) => startUpload(ask, path, parts),
    async stop() {
      agent.destroy()
      await server.stop()
    },
  }
}

export function versioningBody(status: string): string {
  return `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
}

export function completionBody(parts: readonly ListedPart[]): string {
  const listed = parts.map(
    ({ PartNumber, ETag }) => `<Part><PartNumber>${PartNumber}</PartNumber><ETag>${ETag}</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
}

export function expectStatus(answer: Answer, status: number): Answer {
  expect(answer.status, answer.text).toBe(status)
  return answer
}

/** `[status, code]` of an answer that is an error, and that it is one in every respect. */
export function refusal(answer: Answer): readonly [number, string | undefined] {
  const error = answer.xml()
  expect(error.name).toBe('Error')
  expect(error.get('Message')).toMatch(/\S/)
  expect(error.get('RequestId')).toBe(answer.headers['x-request-id'])
  return [answer.status, error.get('Code')]
}

async function startUpload(
  ask: TestService['ask'],
  path: string,
  parts: Readonly<Record<number, string | Uint8Array>>,
): Promise<Upload> {
  const started = expectStatus(await ask(`POST ${path}?uploads`), 200)
  const uploadId = started.xml().get('UploadId') ?? ''
  expect(uploadId).not.toBe('')
  const etags = new Map<number, string>()
  const part: Upload['part'] = async (number, body) => {
    const line = `PUT ${path}?partNumber=${number}&uploadId=${uploadId}`
    const answer = expectStatus(await ask(line, { body, payloadHash: 'UNSIGNED-PAYLOAD' }), 200)
    etags.set(number, answer.headers['etag'] ?? '')
  }
  for (const [number, body] of Object.entries(parts)) await part(Number(number), body)
  const all = () => [...etags].map(([PartNumber, ETag]) => ({ PartNumber, ETag }))
  return {
    path,
    uploadId,
    etags,
    part,
    complete: (listed = all().sort((a, b) => a.PartNumber - b.PartNumber), options = {}) =>
      ask(`POST ${path}?uploadId=${uploadId}`, { body: completionBody(listed), ...options }),
  }
}
