/**
 * Requests that are not quite HTTP, or too much of it. Each is sent as bytes on a connection of its own; none may store
 * anything, and the server must be there afterwards.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDoor, type Door } from '../support/door.ts'
import type { TestServer } from '../support/server.ts'
import { connect, exchange, requestBytes, requestText } from '../support/wire.ts'

interface Row {
  readonly title: string
  readonly bytes: (server: TestServer) => string
  readonly status: number
  readonly code?: string
  /** Whether the server must end the connection. */
  readonly closes: boolean
}

const put = 'PUT /wire/intruder'
const host = (server: TestServer) => `host: ${server.host}`

/** A signed PUT with framing of its own. */
const framed = (title: string, extra: readonly string[], body = ''): Row => ({
  title,
  bytes: (server) => requestBytes(server, put, { extra, body }),
  status: 400,
  closes: true,
})
const chunked = (title: string, body: string): Row => framed(title, ['transfer-encoding: chunked'], body)
/** Bytes that name nobody: refused before anyone asks who it is. */
const raw = (title: string, bytes: (server: TestServer) => string): Row => ({ title, bytes, status: 400, closes: true })

/** What stands where a method should, and is none. */
const no = (title: string, bytes: Row['bytes']): Row => ({
  ...raw(title, bytes),
  status: 405,
  code: 'MethodNotAllowed',
})

const notHttp: readonly Row[] = [
  framed('Content-Length and Transfer-Encoding', ['content-length: 5', 'transfer-encoding: chunked'], '0\r\n\r\n'),
  framed('Transfer-Encoding and Content-Length', ['transfer-encoding: chunked', 'content-length: 5'], '0\r\n\r\n'),
  framed('two equal Content-Length', ['content-length: 5', 'content-length: 5'], 'abcde'),
  framed('two Content-Length', ['content-length: 5', 'content-length: 6'], 'abcdef'),
  ...['5, 5', '+5', '0x5', '-1', '5 5', '5;', '', '1'.repeat(20), '18446744073709551617'].map((length) =>
    framed(`Content-Length: ${length}`, [`content-length: ${length}`], 'abcde'),
  ),
  ...['xchunked', 'chunked, identity', 'identity', 'chunked, chunked'].map((coding) =>
    framed(`Transfer-Encoding: ${coding}`, [`transfer-encoding: ${coding}`], '5\r\nabcde\r\n0\r\n\r\n'),
  ),
  framed('a space before the colon', ['transfer-encoding : chunked'], '0\r\n\r\n'),
  framed('a vertical tab in Transfer-Encoding', ['transfer-encoding: \u000bchunked'], '0\r\n\r\n'),
  framed('a folded header', ['x-folded: one', ' two', 'content-length: 0']),
  framed('NUL in a header', ['x-nul: a\u0000b', 'content-length: 0']),
  framed('a bare CR in a header', ['x-cr: a\rb', 'content-length: 0']),
  framed('a header without a colon', ['nothing', 'content-length: 0']),
  framed('a header without a name', [': nothing', 'content-length: 0']),
  raw('bare LF instead of CRLF', (server) => `GET /wire HTTP/1.1\n${host(server)}\n\n`),
  raw('HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  no('another protocol', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n'),
  no('a request line of one word', () => 'GET\r\n\r\n'),
  raw('a version of HTTP that is none', (server) => `GET /wire HTTP/9.9\r\n${host(server)}\r\n\r\n`),
  no('a method that is none', (server) => requestText('BREW /wire', [host(server)])),
  raw('a space in the target', (server) => requestText('GET /wi re', [host(server)])),
  { ...raw('no Host', () => requestText('GET /wire', [])), code: 'InvalidRequest', closes: false },
  chunked('a chunk size that is not hexadecimal', '1x\r\na\r\n0\r\n\r\n'),
  chunked('a chunk size with a sign', '+1\r\na\r\n0\r\n\r\n'),
  chunked('a chunk size of 17 digits', '10000000000000001\r\na\r\n0\r\n\r\n'),
  chunked('chunks that end in LF', '5\nabcde\n0\n\n'),
  chunked('a chunk longer than it says', '2\r\nabcde\r\n0\r\n\r\n'),
  chunked('a chunk extension of 20 KB', `5;x=${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`),
  chunked('Content-Length among the trailers', '5\r\nabcde\r\n0\r\ncontent-length: 5\r\n\r\n'),
]

const tooMuch: readonly Row[] = [
  { ...raw('a header of 17 KB', (server) => requestText('GET /wire', [host(server), `x-a: ${'a'.repeat(17_000)}`])) },
  { ...raw('a target of 17 KB', (server) => requestText(`GET /wire/${'a'.repeat(17_000)}`, [host(server)])) },
].map((row) => ({ ...row, code: 'RequestHeaderSectionTooLarge' }))

const headers = (count: number) => Array.from({ length: count - 1 }, (_, i) => `x-${i}: 1`)
const many = (count: number, status: number, code: string): Row => ({
  title: `${count} headers`,
  bytes: (server) => requestText('GET /wire', [host(server), ...headers(count)]),
  status,
  code,
  closes: false,
})

const targets: readonly Row[] = [
  ...['http://127.0.0.1/wire', 'http://evil.example/x/../y', '*', 'wire'].map((target) => ({
    ...raw(`the target ${target}`, (server: TestServer) => requestText(`GET ${target}`, [host(server)])),
    ...(target !== 'wire' && { code: 'InvalidURI' }),
    closes: target === 'wire',
  })),
  ...['%zz', '%', '%4', '%c0%af', '%ff', '%ed%a0%80', 'a%80b', 'a#b'].map((key) => ({
    ...raw(`the key ${key}`, (server: TestServer) => requestText(`GET /wire/${key}`, [host(server)])),
    code: 'InvalidURI',
    closes: false,
  })),
  ...['?prefix=%zz', '?%zz', '?prefix=%ff'].map((query) => ({
    ...raw(`the query ${query}`, (server: TestServer) => requestText(`GET /wire${query}`, [host(server)])),
    code: 'InvalidURI',
    closes: false,
  })),
  {
    ...raw('an empty bucket before a key', (server) => requestBytes(server, 'GET //wire//k')),
    code: 'InvalidBucketName',
    closes: false,
  },
]

const twice: readonly Row[] = [
  ['Host', 'host: elsewhere.example'],
  ['Host, twice the same', undefined],
  [
    'Authorization',
    'authorization: AWS4-HMAC-SHA256 Credential=a/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=0',
  ],
  ['x-amz-date', 'x-amz-date: 20260101T000000Z'],
  ['x-amz-content-sha256', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'],
  ['Content-MD5', 'content-md5: 1B2M2Y8AsgTpgAmY7PhCfg=='],
  ['x-amz-decoded-content-length', 'x-amz-decoded-content-length: 0'],
].map(([name, line]) => ({
  title: `two ${name}`,
  bytes: (server: TestServer) =>
    requestBytes(server, put, {
      headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==', 'x-amz-decoded-content-length': '0' },
      extra: [line ?? host(server), 'content-length: 0'],
    }),
  status: 400,
  code: 'InvalidRequest',
  closes: false,
}))

const rows: readonly Row[] = [
  ...notHttp,
  ...tooMuch,
  many(199, 403, 'AccessDenied'),
  many(200, 400, 'RequestHeaderSectionTooLarge'),
  many(201, 400, 'RequestHeaderSectionTooLarge'),
  many(3000, 400, 'RequestHeaderSectionTooLarge'),
  ...targets,
  ...twice,
  {
    title: 'a method S3 does not have',
    bytes: (server) => requestText('PATCH /wire', [host(server)]),
    status: 405,
    code: 'MethodNotAllowed',
    closes: false,
  },
  {
    title: 'an expectation nobody can meet',
    bytes: (server) => requestText('GET /wire', [host(server), 'expect: foo']),
    status: 417,
    closes: true,
  },
]

describe('requests that are not HTTP, or too much of it', () => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor()
    await door.ask('PUT /wire')
  })
  afterAll(() => door.stop())

  for (const { title, bytes, status, code, closes } of rows) {
    it.concurrent(`answers ${title} with ${status} ${code ?? ''}`, async () => {
      const wire = await connect(door.server)
      wire.send(bytes(door.server))
      const answer = await wire.answer()
      expect([answer.status, code === undefined ? undefined : answer.code()]).toEqual([status, code])
      if (closes) await wire.closed()
      else wire.socket.destroy()
    })
  }

  it('closes CONNECT, passes over Upgrade, and goes on', async () => {
    const wire = await connect(door.server)
    wire.send(requestText('CONNECT example.com:443', [host(door.server)]))
    await wire.closed()
    const upgrade = ['connection: upgrade', 'upgrade: websocket']
    const answer = await exchange(door.server, requestBytes(door.server, 'GET /wire?location', { extra: upgrade }))
    expect([answer.status, answer.xml().text]).toEqual([200, 'eu'])
  })

  it('has stored nothing of all this, and answers still', async () => {
    for (const { bytes } of rows) {
      const wire = await connect(door.server)
      wire.send(bytes(door.server))
      wire.finish()
      await wire.closed().catch(() => undefined)
    }
    expect((await door.list('wire')).all('Version')).toEqual([])
  })
})
