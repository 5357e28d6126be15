/**
 * Two requests on one connection, and bodies that end where they should not: what stands behind a request is never taken for
 * part of it, never answered in its name, and a body that is not whole is never stored.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256, sign } from '../acceptance/support/call.ts'
import { connect, requestBytes, requestText } from '../acceptance/support/wire.ts'
import { openScene, type Scene } from './scene.ts'

/** A server that has not answered after this time will not answer. */
const quietMs = 1500

describe('requests in one another', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene.stop())

  /**
   * All answers, at most `most`, until the server ends the connection or stays silent. `ends`: the client ends its side
   * of the connection. Node treats that as a client that has left, and answers only what is wrong.
   */
  async function answersTo(bytes: string | Uint8Array, { ends = false, most = 100 } = {}) {
    const wire = await connect(scene.server)
    wire.send(bytes)
    if (ends) wire.finish()
    const statuses: number[] = []
    let texts = ''
    while (statuses.length < most) {
      const answer = await Promise.race([wire.answer().catch(() => undefined), delay(quietMs, undefined)])
      if (answer === undefined) break
      statuses.push(answer.status)
      texts += answer.text
    }
    wire.socket.destroy()
    return { statuses, texts }
  }

  const host = () => `host: ${scene.server.host}`
  /** An anonymous request for an object that root may read. */
  const inner = () => requestText('GET /hostile/secret', [host()])
  const put = (extra: readonly string[], body: string) =>
    requestBytes(scene.server, 'PUT /hostile/smuggled', { extra, body })

  const both = ['content-length: 6', 'transfer-encoding: chunked']
  const forms: Readonly<Record<string, () => string>> = {
    'a length, and chunks that end before it': () => put(both, `0\r\n\r\n${inner()}`),
    'chunks, and a length that ends before them': () => put(both.toReversed(), `1\r\na\r\n0\r\n\r\n${inner()}`),
    'two lengths, the first of which ends before the second': () =>
      put(['content-length: 1', `content-length: ${1 + inner().length}`], `a${inner()}`),
    'two lengths, the second of which ends before the first': () =>
      put([`content-length: ${1 + inner().length}`, 'content-length: 1'], `a${inner()}`),
    'a length in two parts': () => put([`content-length: 1, ${1 + inner().length}`], `a${inner()}`),
    'a length with a sign': () => put(['content-length: +1'], `a${inner()}`),
    'a coding that is almost chunked': () => put(['transfer-encoding: xchunked'], `0\r\n\r\n${inner()}`),
    'a coding behind a vertical tab': () => put(['transfer-encoding:\u000bchunked'], `0\r\n\r\n${inner()}`),
    'a coding twice': () => put(['transfer-encoding: chunked', 'transfer-encoding: x'], `0\r\n\r\n${inner()}`),
    'a coding before a colon with a space': () => put(['transfer-encoding : chunked'], `0\r\n\r\n${inner()}`),
    'a coding folded to the next line': () => put(['transfer-encoding:', ' chunked'], `0\r\n\r\n${inner()}`),
    'a chunk longer than announced': () => put(['transfer-encoding: chunked'], `1\r\nab\r\n0\r\n\r\n${inner()}`),
    'a chunk whose size ends in LF': () => put(['transfer-encoding: chunked'], `0\n\n${inner()}`),
    'a chunk with a request for an extension': () =>
      put(['transfer-encoding: chunked'], `1;${inner().replaceAll('\r\n', '\n')}\r\na\r\n0\r\n\r\n`),
    'a length among the trailers': () =>
      put(['transfer-encoding: chunked'], `0\r\ncontent-length: ${inner().length}\r\n\r\n${inner()}`),
    'a bare CR before a header': () => put(['x-a: b\rcontent-length: 1', 'content-length: 0'], inner()),
    'a request line in a header': () => put(['x-a: b\n\nGET /hostile/secret HTTP/1.1', 'content-length: 0'], ''),
    'an expectation, and no waiting': () => put(['content-length: 1', 'expect: 100-continue'], `a${inner()}`),
    'a request to switch to HTTP/2': () =>
      put(
        ['content-length: 0', 'connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABk'],
        inner(),
      ),
  }

  it.each(Object.keys(forms))('%s: nothing is read in the name of another', async (form) => {
    const { statuses, texts } = await answersTo(forms[form]?.() ?? '')
    expect(texts).not.toContain('hidden words')
    // The first request may be valid and is then answered. The request inside it is anonymous, and is always refused.
    expect(statuses.length).toBeGreaterThan(0)
    expect(statuses.slice(1).filter((status) => status < 400 && status >= 200)).toEqual(
      statuses[0] === 100 ? [200] : [],
    )
    await scene.expectUnharmed(true)
  })

  it('authenticates every request in a row', async () => {
    const { server } = scene
    const good = (as = 'root') => requestBytes(server, 'GET /hostile/object', { as })
    const replayed = good().replace('/hostile/object', '/hostile/secret')
    const { statuses, texts } = await answersTo(good() + inner() + good('bob') + replayed + good(), { most: 5 })
    expect(statuses).toEqual([200, 403, 403, 403, 200])
    expect(texts).not.toContain('hidden words')
  })

  it('answers requests in a row in their order, whatever they are', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? 'GET /hostile/none' : 'GET /hostile/object'))
    const { statuses } = await answersTo(lines.map((line) => requestBytes(scene.server, line)).join(''), {
      most: lines.length,
    })
    expect(statuses).toEqual(lines.map((line) => (line.endsWith('none') ? 404 : 200)))
  })

  const bodies: Readonly<Record<string, () => Uint8Array>> = {
    'a signed body': () => wholePut('/hostile/cut-signed', 'a body that must come whole'),
    'an unsigned body': () => wholePut('/hostile/cut-unsigned', 'a body that must come whole', 'UNSIGNED-PAYLOAD'),
    'aws-chunked': () =>
      wholePut('/hostile/cut-chunked', `4\r\nabcd\r\n0\r\nx-amz-checksum-crc32:7YLNEQ==\r\n\r\n`, streaming),
  }
  const streaming = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'

  function wholePut(path: string, body: string, payloadHash = sha256(Buffer.from(body))): Uint8Array {
    const isStreaming = payloadHash === streaming
    const announced = { 'x-amz-decoded-content-length': '4', 'x-amz-trailer': 'x-amz-checksum-crc32' }
    const { headers } = sign(scene.server, `PUT ${path}`, { payloadHash, ...(isStreaming && { headers: announced }) })
    const lines = [...headers.map(([name, value]) => `${name}: ${value}`), `content-length: ${body.length}`]
    return Buffer.from(requestText(`PUT ${path}`, lines, body), 'latin1')
  }

  it.each(Object.keys(bodies))('%s cut at any byte stores nothing', async (what) => {
    const whole = bodies[what]?.() ?? new Uint8Array()
    const before = scene.store.seq
    const cuts = Array.from({ length: whole.length }, (_, at) => at)
    for (let from = 0; from < cuts.length; from += 20) {
      const group = cuts.slice(from, from + 20).map((at) => answersTo(whole.subarray(0, at), { ends: true }))
      for (const { statuses } of await Promise.all(group)) {
        expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true)
      }
    }
    expect(scene.store.seq).toBe(before)
    const { statuses } = await answersTo(whole, { most: 1 })
    expect([statuses, scene.store.seq]).toEqual([[200], before + 1])
    await scene.expectUnharmed(true)
  })

  it('is no tunnel: CONNECT is closed without an answer, Upgrade passed over', async () => {
    const wire = await connect(scene.server)
    wire.send(requestText('CONNECT example.com:443', [host()]))
    await wire.closed()
    await expect(wire.answer()).rejects.toThrow('ended')
    const upgrade = ['connection: upgrade', 'upgrade: websocket']
    const requested = requestBytes(scene.server, 'GET /hostile/object', { extra: upgrade })
    expect((await answersTo(requested, { most: 1 })).statuses).toEqual([200])
    await scene.expectUnharmed(true)
  })

  it('leaves a sound store, no name and no secret', () => scene.expectNothingLeft())
})
