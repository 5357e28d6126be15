/** Every operation that takes a body, of S3 and of the control API: it is judged before a byte of the body is read or reserved. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import { jsonDepthMax } from '../json/parse-json.ts'
import type { OperationRow } from '../contract/operation.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import { controlRows } from '../control/table.ts'
import { bucketOf, fakeStore } from '../fake-store.fixture.ts'
import { operations } from '../operations/table.ts'
import { parsePolicy } from '../policies/policy.ts'
import { respond } from '../render/respond.ts'
import { serviceWith, signedHeaders } from '../signed-request.fixture.ts'
import type { Service } from './service-options.ts'

const mib = 1024 * 1024
const statements = {
  denied: [
    { Effect: 'Allow', Action: '*', Resource: '*' },
    { Effect: 'Deny', Action: '*', Resource: '*' },
  ],
  reading: [{ Effect: 'Allow', Action: ['s3:Get*', 'varve:ReadStatus'], Resource: '*' }],
  all: [{ Effect: 'Allow', Action: ['varve:*', 's3:*'], Resource: '*' }],
} as const
const identities = Object.fromEntries(
  Object.entries(statements).map(([name, Statement]) => [
    name,
    createIdentity({
      name,
      id: name,
      accessKeyId: `KEY${name}`,
      secretAccessKey: `secret of ${name}`,
      policy: parsePolicy({ Version: '2012-10-17', Statement }),
    }),
  ]),
) as { readonly [K in keyof typeof statements]: ReturnType<typeof createIdentity> }

const serviceHere = (): Service =>
  serviceWith({
    identities: Object.values(identities),
    sessions: { roles: [], tokenKey: Buffer.alloc(32, 7).toString('base64') },
    store: fakeStore({ buckets: { head: async () => bucketOf('alice'), settings: noSettings } }),
    controlStore: () => fakeStore() as unknown as Store,
  })
const noSettings = { get: async () => undefined } as never

interface Sending {
  readonly by: ReturnType<typeof createIdentity>
  readonly headers?: readonly (readonly [string, string])[]
  /** The body has these bytes and then does not end. */
  readonly body?: readonly Uint8Array[]
  readonly length?: number
  /** In place of a signature in the header. */
  readonly rawHeaders?: readonly string[]
}

/** A request whose body does not end. */
function send(
  service: Service,
  method: string,
  rawUrl: string,
  { by, headers = [], body = [], length = 8 * mib, rawHeaders }: Sending,
) {
  let reads = 0
  const gone = new AbortController()
  let stop = (): void => undefined
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const piece of body) {
      reads++
      yield piece
    }
    reads++
    await stopped
    throw new Error('The client is gone.')
  }
  const signed = signedHeaders(method, rawUrl, { by, headers, payloadHash: 'UNSIGNED-PAYLOAD' }).slice(0, -2)
  const sentHeaders = rawHeaders === undefined ? signed : ['host', 'localhost:9000', ...rawHeaders]
  const over: (() => void)[] = []
  const request: WireRequest = {
    method,
    rawUrl,
    rawHeaders: [...sentHeaders, 'content-length', String(length)],
    body: bytes(),
    secure: true,
    requestId: 'REQUEST',
    client: { address: '192.0.2.1', signal: gone.signal, onOver: (act) => void over.push(act) },
    trace: {},
  }
  return {
    answer: respond(service, request),
    reads: () => reads,
    end() {
      stop()
      for (const act of over) act()
    },
  }
}

const textOf = (body: unknown): string => (body instanceof Uint8Array ? Buffer.from(body).toString() : String(body))

/** The smallest request that matches a row of S3. */
function requestOf({ level, when }: OperationRow) {
  const path = { service: '/', bucket: '/bucket', object: '/bucket/key' }[level]
  const query = (when.query ?? []).map((wanted) => (typeof wanted === 'string' ? `${wanted}=1` : wanted.join('=')))
  const headers = (when.header ?? []).map((wanted) =>
    typeof wanted === 'string' ? ([wanted, '/other/key'] as const) : ([wanted[0], wanted[1]] as const),
  )
  return { url: query.length === 0 ? path : `${path}?${query.join('&')}`, headers }
}

/** Their permissions are about what is in the body, so they read it first; `documents` and the limit of fields bound it. */
const judgedByBody = ['DeleteObjects', 'PostObject']

describe('an operation of S3 that takes a body', () => {
  const rows = operations.filter((row) => row.handler !== undefined && 'body' in row && row.body !== undefined)

  it.each(rows.filter(({ name }) => !judgedByBody.includes(name)).map((row) => [row.name, row] as const))(
    '%s is judged before its body is read',
    async (_, row) => {
      for (const by of [identities.denied, identities.reading]) {
        const service = serviceHere()
        const { url, headers } = requestOf(row)
        const sent = send(service, row.method, url, { by, headers })
        const { status, body } = await sent.answer
        expect([status, textOf(body)]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')])
        expect([sent.reads(), service.budgets.documents.held, service.budgets.bodies.held]).toEqual([0, 0, 0])
      }
    },
  )

  it('has permissions, unless its body names what it is about', () => {
    const without = rows.filter(
      (row) =>
        'permissions' in row &&
        row.permissions({ bucket: 'b', key: 'k' }, { headers: none, query: none } as never).length === 0,
    )
    expect(without.map(({ name }) => name)).toEqual(['DeleteObjects'])
  })

  it('holds what it reads in the budget of its identity', async () => {
    const service = serviceHere()
    const piece = new Uint8Array(mib).fill(60)
    const headers = [['content-md5', 'AAAAAAAAAAAAAAAAAAAAAA==']] as const
    const all = Array.from({ length: 40 }, () =>
      send(service, 'POST', '/bucket?delete', { by: identities.denied, headers, body: [piece, piece, piece] }),
    )
    await settled()
    // Half of the budget, and one identity holds no more.
    expect(service.budgets.documents.held).toBeGreaterThan(8 * mib)
    expect(service.budgets.documents.held).toBeLessThanOrEqual(16 * mib)
    for (const { end } of all) end()
    await Promise.all(all.map(({ answer }) => answer))
    expect(service.budgets.documents.held).toBe(0)
  })
})

const none = { has: () => false, get: () => undefined, single: () => undefined, values: () => [], names: [] }
const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

describe('an operation of the control API', () => {
  it.each(controlRows.map((row) => [row.name, row] as const))(
    '%s is judged before its body is read',
    async (_, row) => {
      for (const by of [identities.denied, ...(row.action === 'varve:ReadStatus' ? [] : [identities.reading])]) {
        const service = serviceHere()
        const sent = send(service, row.method, row.path, { by })
        const { status, body } = await sent.answer
        expect([status, textOf(body)]).toEqual([403, expect.stringContaining('"AccessDenied"')])
        expect([sent.reads(), service.budgets.documents.held, service.budgets.bodies.held]).toEqual([0, 0, 0])
      }
    },
  )

  const withDocument = controlRows.filter((row) => row.input.place === 'body' && row.action !== undefined)

  it.each(withDocument.map((row) => [row.name, row] as const))('%s holds its body by its bytes', async (_, row) => {
    const service = serviceHere()
    const piece = new Uint8Array(50_000).fill(32)
    const sent = send(service, row.method, row.path, { by: identities.all, body: [piece], length: 60_000 })
    await settled()
    if (sent.reads() > 0) expect(service.budgets.documents.held).toBeGreaterThanOrEqual(piece.length)
    sent.end()
    await sent.answer
    expect(service.budgets.documents.held).toBe(0)
  })

  it.each(withDocument.map((row) => [row.name, row] as const))('%s takes no deep JSON', async (_, row) => {
    const deep = Buffer.from(`${'['.repeat(jsonDepthMax + 1)}${']'.repeat(jsonDepthMax + 1)}`)
    const service = serviceHere()
    const headers = signedHeaders(row.method, row.path, { by: identities.all, body: deep.toString() })
    const request: WireRequest = {
      method: row.method,
      rawUrl: row.path,
      rawHeaders: headers,
      body: (async function* () {
        yield deep
      })(),
      secure: true,
      requestId: 'REQUEST',
      client: { signal: new AbortController().signal, onOver: () => undefined },
      trace: {},
    }
    const { status, body } = await respond(service, request)
    expect([status, textOf(body)]).toEqual([400, expect.stringContaining('levels')])
  })
})

describe('a request whose signer is in its body', () => {
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const form = part('key', 'k') + part('x-ignore-a', 'a'.repeat(10_000)) + part('x-ignore-b', 'b')
  const scope = 'AWS4-HMAC-SHA256 Credential=KEYall/20260101/eu/sts/aws4_request, SignedHeaders=host, Signature=0'

  it.each([
    ['a form', '/bucket', ['content-type', 'multipart/form-data; boundary=b'], form],
    [
      'STS',
      '/',
      ['content-type', 'application/x-www-form-urlencoded', 'authorization', scope],
      'a='.padEnd(10_100, 'a'),
    ],
  ] as const)('is held by the address of its sender: %s', async (_, url, headers, body) => {
    const service = serviceHere()
    const bytes = [Buffer.from(body)]
    const sent = send(service, 'POST', url, { by: identities.all, body: bytes, length: 12_000, rawHeaders: headers })
    await settled()
    expect(sent.reads()).toBe(2)
    expect(service.budgets.documents.held).toBeGreaterThan(10_000)
    sent.end()
    expect((await sent.answer).status).toBeGreaterThanOrEqual(400)
    expect(service.budgets.documents.held).toBe(0)
  })
})

describe('the sources', () => {
  const folder = join(import.meta.dirname, '..')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path))
    .map((path) => path.replaceAll('\\', '/'))
  const having = (pattern: RegExp) => sources.filter((path) => pattern.test(readFileSync(join(folder, path), 'utf8')))

  it('read bodies in these places alone', () => {
    expect(having(/\brequest\.body\b(?! \?\?)|\bcreateRequestBody\(/).sort()).toEqual([
      'pipeline/control-request.ts',
      'pipeline/pipeline.ts',
      'pipeline/request-body.ts',
      'sts/answer-sts.ts',
    ])
  })

  it('parse JSON from outside with a bound of its depth', () => {
    expect(having(/\bJSON\.parse\(/).sort()).toEqual([
      // A token that the server made itself.
      'credentials/session-token.ts',
      'json/parse-json.ts',
      // The error that the server has just written.
      'server/control-exchange.ts',
    ])
  })
})
