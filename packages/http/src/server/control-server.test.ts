import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { type Store, StorageError } from '@varve/core'
import { rawClient } from '../raw-client.fixture.ts'
import { type ControlServer, createControlServer } from './control-server.ts'

let control: ControlServer | undefined
afterEach(() => control?.stop())

/** Takes a body in, and refuses it with its bytes. */
const store = {
  as: () => store,
  objects: {
    async put(_bucket: string, _key: string, body: AsyncIterable<Uint8Array>) {
      let text = ''
      for await (const chunk of body) text += Buffer.from(chunk).toString('latin1')
      throw new StorageError('InvalidArgument', `read: ${text}`)
    },
  },
  owner: { operators: {} },
} as unknown as Store

async function answerTo(headers: readonly string[], body: string, target = '/-/v1/content?bucket=bucket&key=k') {
  control = createControlServer(store)
  control.server.listen(0, '127.0.0.1')
  await once(control.server, 'listening')
  const client = await rawClient((control.server.address() as { port: number }).port)
  client.send([`PUT ${target} HTTP/1.1`, 'host: h', ...headers, '', body].join('\r\n'))
  const text = await client.until(/^HTTP\/1\.1 [^]*\r\n\r\n[^]*\}/)
  client.socket.destroy()
  const { error } = JSON.parse(/\{[^]*\}/.exec(text)?.[0] ?? '') as { error: { code: string; message: string } }
  return { status: Number(text.slice(9, 12)), ...error }
}

const framed = '3\r\nabc\r\n0\r\n\r\n'
const length = `content-length: ${framed.length}`

describe('the body of a request on the control socket', () => {
  it.each([
    'content-encoding: aws-chunked',
    'Content-Encoding: gzip, AWS-Chunked',
    'x-amz-decoded-content-length: 3',
    'x-amz-trailer: x-amz-checksum-crc32',
    'x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-svc-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  ])('is refused with %s', async (header) => {
    for (const framing of [length, 'transfer-encoding: chunked']) {
      const sent = await answerTo([header, framing], framing === length ? framed : `5\r\nabcde\r\n0\r\n\r\n`)
      expect(sent).toMatchObject({ status: 400, code: 'InvalidArgument' })
      expect(sent.message).toMatch(/announces an aws-chunked body\. A request of the control socket cannot have one/)
      await control?.stop()
    }
  })

  it.each(['gzip, chunked', 'gzip,chunked', 'identity, chunked'])(
    'is refused with the transfer coding %s',
    async (coding) => {
      const sent = await answerTo([`transfer-encoding: ${coding}`], framed)
      expect(sent).toMatchObject({ status: 501, code: 'NotImplemented' })
    },
  )

  it.each([
    [[length], framed],
    [['transfer-encoding: chunked'], 'abc'],
    [['content-length: 0', 'content-encoding: aws-chunked'], ''],
  ])('is read with %j', async (headers, read) => {
    const isEmpty = read === ''
    expect((await answerTo(headers, isEmpty ? '' : framed)).message).toBe(`read: ${read}`)
  })

  it('is for the path of an absolute target', async () => {
    const target = 'http://anything.example/-/v1/content?bucket=bucket&key=k'
    expect((await answerTo([length], framed, target)).message).toBe(`read: ${framed}`)
  })
})
