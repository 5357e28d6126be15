import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { turn } from '../turns/turn.ts'
import { nodeBody } from './node-body.ts'
import type { NodeBody } from './node-body.ts'

/** So short only where a test waits for its end. */
const impatient = { bytesPerSecond: 1000, windowMs: 100 }
const patient = { bytesPerSecond: 1, windowMs: 15_000 }
const server = createServer()
afterEach(() => void server.close())

interface Requested {
  readonly client: Socket
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: NodeBody
}

/** A request whose bytes were sent as they are. */
async function ask(text: string, minimumSpeed = patient): Promise<Requested> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(text)
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const body = nodeBody(request, { minimumSpeed, turnsOf: '10.0.0.1', onFirstRead: () => undefined })
  return { client, request, response, body }
}

async function textOf({ body }: Requested): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body.source) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const put = (length: number, sent: string) => `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${sent}`

describe('the body of a request', () => {
  it('is counted, and leaves nothing unread', async () => {
    const requested = await ask(put(5, 'bytes'))
    expect(requested.body.unread).toBe(5)
    expect(await textOf(requested)).toBe('bytes')
    expect(requested.body).toMatchObject({ received: 5, unread: 0 })
    requested.client.destroy()
  })

  it('waits for a later turn when this one is spent, and others are let in between', async () => {
    const requested = await ask(put(5, 'bytes'))
    turn.spend(1e9)
    const text = textOf(requested)
    await expect(Promise.race([text, Promise.resolve().then(() => 'waits')])).resolves.toBe('waits')
    const order: string[] = []
    const another = turn.next('another').then(() => order.push('another'))
    await Promise.all([another, text.then(() => order.push('body'))])
    expect(order).toContain('another')
    expect(await text).toBe('bytes')
    requested.client.destroy()
  })

  it('loses nothing of a long body when it waits for a turn', async () => {
    const long = 'abc'.repeat(200_000)
    const requested = await ask(put(long.length, long))
    turn.spend(1e9)
    expect((await textOf(requested)) === long).toBe(true)
    requested.client.destroy()
  })

  it('comes in few chunks if it is long', async () => {
    const requested = await ask(put(3_000_000, 'x'.repeat(3_000_000)))
    const sizes: number[] = []
    for await (const chunk of requested.body.source) sizes.push(chunk.length)
    // The system gives at most 64 KiB at once.
    expect(sizes.length).toBeLessThanOrEqual(Math.ceil(3_000_000 / (64 * 1024)))
    requested.client.destroy()
  })

  it('comes as it arrives, also if it is long and does not come to its end', async () => {
    const requested = await ask(put(1_000_000, 'bytes'))
    const bytes = requested.body.source[Symbol.asyncIterator]()
    const first = await bytes.next()
    expect(Buffer.from(first.value ?? []).toString()).toBe('bytes')
    await bytes.return?.()
    requested.client.destroy()
  })

  it('leaves the memory of chunks that others also read', async () => {
    const requested = await ask(put(100_000, 'x'.repeat(100_000)))
    const seen: Buffer[] = []
    requested.request.on('data', (chunk: Buffer) => seen.push(chunk))
    await textOf(requested)
    expect(Buffer.concat(seen)).toHaveLength(100_000)
    requested.client.destroy()
  })

  it('leaves the memory of chunks that a program made', async () => {
    const request = new IncomingMessage(new PassThrough() as unknown as Socket)
    const chunk = Buffer.allocUnsafeSlow(100_000)
    Object.assign(request, { headers: { 'content-length': '100000' }, complete: true }).push(chunk)
    request.push(null)
    const body = nodeBody(request, { minimumSpeed: patient, turnsOf: '10.0.0.1', onFirstRead: () => undefined })
    for await (const _ of body.source);
    expect(body.received).toBe(100_000)
    expect(chunk.buffer.byteLength).toBe(100_000)
  })

  it('counts as work as it comes', async () => {
    const spend = vi.spyOn(turn, 'spend')
    const requested = await ask(put(3_000_000, 'x'.repeat(3_000_000)))
    expect(await textOf(requested)).toHaveLength(3_000_000)
    expect(spend.mock.calls.reduce((sum, [steps]) => sum + steps, 0)).toBe(3_000_000)
    spend.mockRestore()
    requested.client.destroy()
  })

  it('comes in pieces, as they are sent', async () => {
    const requested = await ask('PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    expect(requested.body.unread).toBe(Number.POSITIVE_INFINITY)
    const text = textOf(requested)
    for (const piece of ['3\r\none\r\n', '3\r\ntwo\r\n', '0\r\n\r\n']) {
      requested.client.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(await text).toBe('onetwo')
    expect(requested.body.unread).toBe(0)
    requested.client.destroy()
  })

  it('fails when the client goes before its end', async () => {
    const requested = await ask(put(10, 'bytes'))
    const text = textOf(requested)
    requested.client.destroy()
    await expect(text).rejects.toMatchObject({ code: 'IncompleteBody' })
  })

  it('fails when nothing more comes', async () => {
    const requested = await ask(put(10, 'bytes'), impatient)
    await expect(textOf(requested)).rejects.toMatchObject({ code: 'RequestTimeout' })
    requested.client.destroy()
  })

  it.each([10, 1_000_000])(
    'of %i bytes, left early, leaves the connection for the answer, and no listeners',
    async (length) => {
      const requested = await ask(put(length, 'bytes'.repeat(Math.floor(length / 10))))
      const listening = requested.request.eventNames()
      for await (const _ of requested.body.source) {
        const rest = requested.body.source[Symbol.asyncIterator]().next()
        requested.client.write('bytes'.repeat(Math.floor(length / 10)))
        await rest
        break
      }
      expect(requested.request.eventNames()).toEqual(listening)
      requested.response.end('heard')
      const [answer] = (await once(requested.client, 'data')) as [Buffer]
      expect(answer.toString()).toContain('heard')
      requested.client.destroy()
    },
  )
})
