import { afterEach, describe, expect, it } from 'vitest'
import { rawClient, requestHead } from '../raw-client.fixture.ts'
import { signedHeaders } from '../signed-request.fixture.ts'
import { owned, put, request, testServer } from '../test-server.fixture.ts'

let server: Awaited<ReturnType<typeof testServer>> | undefined

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
})

/** The answer to these bytes, and the options of every write. */
async function answerTo(text: string) {
  const stored: unknown[] = []
  server = await testServer({
    buckets: owned,
    objects: {
      put: async (...given) => {
        stored.push(given[3] ?? {})
        return put(...given)
      },
    },
  })
  const client = await rawClient(server.port)
  client.send(text)
  const answer = await client.until(/^HTTP\/1\.1 [2-5]\d\d [^]*?\r\n\r\n/)
  client.socket.destroy()
  return { status: Number(answer.slice(9, 12)), answer, stored }
}

const framed = '3\r\nabc\r\n0\r\n\r\n'
const plain = { body: framed, payloadHash: 'UNSIGNED-PAYLOAD' }

describe('a body whose framing is announced outside x-amz-content-sha256', () => {
  it.each([
    ['content-encoding', 'aws-chunked'],
    ['Content-Encoding', 'AWS-Chunked'],
    ['content-encoding', 'gzip, aws-chunked'],
    ['content-encoding', 'aws-chunked,gzip'],
    ['x-amz-decoded-content-length', '3'],
    ['x-amz-trailer', 'x-amz-checksum-crc32'],
  ])('%s: %s is refused, and nothing is stored', async (name, value) => {
    for (const payloadHash of ['UNSIGNED-PAYLOAD', undefined]) {
      const headers = [[name, value]] as const
      const how = { body: framed, headers, ...(payloadHash !== undefined && { payloadHash }) }
      const { status, answer, stored } = await answerTo(request('PUT', '/bucket/key', how) + framed)
      expect([status, stored]).toEqual([400, []])
      expect(answer).toContain('<Code>InvalidArgument</Code>')
      expect(answer).toContain('STREAMING-')
      await server?.close({ graceMs: 0 })
    }
  })

  it.each([['gzip'], ['aws-chunkedx']])('Content-Encoding: %s is stored', async (value) => {
    const sent = request('PUT', '/bucket/key', { ...plain, headers: [['content-encoding', value]] })
    expect(await answerTo(sent + framed)).toMatchObject({ status: 200, stored: [{}] })
  })

  it('is no matter for an empty body', async () => {
    const sent = request('PUT', '/bucket/key', { headers: [['content-encoding', 'aws-chunked']] })
    expect(await answerTo(sent)).toMatchObject({ status: 200, stored: [{}] })
  })
})

describe('Transfer-Encoding', () => {
  const chunkedPut = (...codings: readonly string[]) => {
    const signed = signedHeaders('PUT', '/bucket/key', { payloadHash: 'UNSIGNED-PAYLOAD' })
    const headers = signed.slice(0, -2).concat(codings.flatMap((coding) => ['Transfer-Encoding', coding]))
    return requestHead('PUT', '/bucket/key', headers) + framed
  }

  it.each([[['chunked']], [['Chunked']], [['CHUNKED ']]])('%j is decoded', async (codings) => {
    expect((await answerTo(chunkedPut(...codings))).answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it.each([
    [['gzip, chunked']],
    [['gzip,chunked']],
    [['gzip', 'chunked']],
    [['identity, chunked']],
    [['deflate, gzip, chunked']],
    [['x-own;q=1, chunked']],
  ])('%j is answered 501, for every path', async (codings) => {
    for (const target of ['/bucket/key', '/', '/-/health']) {
      const { status, answer, stored } = await answerTo(chunkedPut(...codings).replace('/bucket/key', target))
      expect([status, stored]).toEqual([501, []])
      expect(answer).toContain('<Code>NotImplemented</Code>')
      await server?.close({ graceMs: 0 })
    }
  })
})

describe('Transfer-Encoding in HTTP/1.0', () => {
  it.each([['chunked'], ['gzip, chunked']])(
    '%s is refused, and no request behind it on the connection runs',
    async (coding) => {
      const headers = signedHeaders('PUT', '/bucket/key', { payloadHash: 'UNSIGNED-PAYLOAD' }).slice(0, -2)
      const sent = requestHead('PUT', '/bucket/key', [
        ...headers,
        'Transfer-Encoding',
        coding,
        'Connection',
        'keep-alive',
      ])
      const stored: unknown[] = []
      server = await testServer({
        buckets: owned,
        objects: {
          put: async (...given) => {
            stored.push(given[1])
            return put(...given)
          },
        },
      })
      const client = await rawClient(server.port)
      client.send(sent.replace('HTTP/1.1', 'HTTP/1.0') + framed + request('PUT', '/bucket/next', {}))
      const answer = await client.closed()
      expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400'])
      expect(answer).toContain('<Code>InvalidRequest</Code>')
      expect(stored).toEqual([])
    },
  )
})

describe('an absolute request target', () => {
  const absolute = (target: string, host: string | undefined, path = '/bucket/key') => {
    const headers = signedHeaders('PUT', path, { host: 'store.example:9000' })
    const sent = headers.flatMap((text, at) => (at === 1 && host !== undefined ? [host] : [text]))
    return requestHead('PUT', target, sent)
  }

  it.each([
    ['http://store.example:9000/bucket/key', 'store.example:9000'],
    ['HTTP://store.example:9000/bucket/key', 'other.example'],
    ['https://store.example:9000/bucket/key', 'store.example:9000'],
  ])('%s with the host %s means the path on the host of the target', async (target, host) => {
    expect(await answerTo(absolute(target, host))).toMatchObject({ status: 200, stored: [{}] })
  })

  it('is refused with two Host headers', async () => {
    const sent = absolute('http://store.example:9000/bucket/key', undefined)
    const { status, stored } = await answerTo(sent.replace('\r\n', '\r\nHost: other.example\r\n'))
    expect([status, stored]).toEqual([400, []])
  })

  it('has another host in its signature only if the target has it', async () => {
    expect((await answerTo(absolute('http://other.example/bucket/key', undefined))).status).toBe(403)
  })

  it.each([['http:///bucket/key'], ['http://a@store.example/bucket/key'], ['ftp://store.example/k'], ['bucket/key']])(
    '%s is refused',
    async (target) => {
      expect((await answerTo(absolute(target, undefined))).status).toBe(400)
    },
  )
})
