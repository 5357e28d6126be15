import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { rawClient } from '../raw-client.fixture.ts'
import { type ControlServer, createControlServer } from './control-server.ts'
import { headText } from './response-head.ts'

describe('the head for a socket', () => {
  it('spells the names, and keeps the values', () => {
    const head = headText(400, 'Bad Request', { etag: '"e"', 'x-amz-request-id': 'A' })
    expect(head).toBe('HTTP/1.1 400 Bad Request\r\nETag: "e"\r\nx-amz-request-id: A\r\n\r\n')
  })
})

describe('heads of the control API on a socket', () => {
  let control: ControlServer | undefined
  afterEach(() => control?.stop())

  /** The names in the first head that the server sends. */
  async function namesFor(bytes: string): Promise<readonly string[]> {
    control = createControlServer({ owner: { operators: {} } } as unknown as Store, {
      headers: { 'x-varve-store': 'a' },
    })
    control.server.listen(0, '127.0.0.1')
    await once(control.server, 'listening')
    const client = await rawClient((control.server.address() as { port: number }).port)
    client.send(bytes)
    const [head = ''] = (await client.until(/\r\n\r\n/)).split('\r\n\r\n')
    client.socket.destroy()
    const [, ...lines] = head.split('\r\n')
    return lines.map((line) => line.slice(0, line.indexOf(':')))
  }

  it.each([
    ['a value', 'GET /-/v1/openapi.json HTTP/1.1\r\nhost: h\r\n\r\n', ['Content-Type', 'x-varve-store']],
    ['a last answer', 'POST /-/v1/none HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\n\r\n', ['Connection']],
    ['a transfer coding', 'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip, chunked\r\n\r\n', ['Content-Type']],
    ['no HTTP', 'nothing\r\n\r\n', ['Connection', 'Content-Length']],
  ])('are spelled as those of S3: %s', async (_what, bytes, names) => {
    const sent = await namesFor(bytes)
    expect(sent).toEqual(expect.arrayContaining(names))
    expect(sent.filter((name) => /^[a-z]/.test(name) && !name.startsWith('x-'))).toEqual([])
  })
})
