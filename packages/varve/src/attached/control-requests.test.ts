/** The control API over its socket: what it answers to programs, to clients in error, and to those that stall. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '@varve/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { socketFiles } from '../control/socket-files.ts'
import { attachStore } from './attach-store.ts'

const scratch = scratchDirectory()
let dir: string
let store: Store
const sockets = new Set<Socket>()

beforeAll(async () => {
  dir = scratch.next()
  store = await openStore(dir)
  await store.buckets.create('photos')
  await store.objects.put('photos', 'large', new Uint8Array(20 * 1024 * 1024))
  for (let i = 0; i < 2000; i++) await store.objects.put('photos', `many/${i}`, '')
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await store.close()
})

async function connected(): Promise<Socket> {
  const socket = connect(socketFiles(dir).socket)
  sockets.add(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends these bytes on a connection of its own, and returns all that is answered until the server closes it. */
async function exchanged(text: string | Uint8Array): Promise<string> {
  const socket = await connected()
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  socket.write(text)
  await Promise.race([once(socket, 'close'), delay(5000)])
  socket.destroy()
  return answer
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

function send(method: string, path: string, body?: string | Uint8Array): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socketFiles(dir).socket, method, path }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode, text })).on('error', reject)
    })
    sent.on('error', reject).end(body)
  })
}

const isUseful = async () => expect(await send('GET', '/-/v1/status')).toMatchObject({ status: 200 })

describe('a request in error', () => {
  it.each([
    ['GET', '/-/v1/nothing', 501, 'NotImplemented'],
    ['GET', '/', 501, 'NotImplemented'],
    ['PATCH', '/-/v1/log', 405, 'MethodNotAllowed'],
    ['GET', '/-/v1/log?from=one', 400, 'InvalidArgument'],
    ['GET', '/-/v1/log?from=1&from=2', 400, 'InvalidArgument'],
    ['GET', '/-/v1/log?from=-1', 400, 'InvalidArgument'],
    ['GET', '/-/v1/log?follow=perhaps', 400, 'InvalidArgument'],
    ['GET', '/-/v1/log?colour=red', 400, 'InvalidArgument'],
    ['GET', '/-/v1/history?bucket=photos', 400, 'InvalidArgument'],
    ['GET', '/-/v1/objects?bucket=absent', 404, 'NoSuchBucket'],
    ['GET', '/-/v1/objects?bucket=photos&at=2%20days%20ago', 400, 'InvalidArgument'],
    ['GET', '/-/v1/objects?bucket=photos&at=no-snapshot', 404, 'NoSuchSnapshot'],
    ['GET', '/-/v1/objects?bucket=photos&at=99999999', 400, 'MomentOutOfRange'],
    ['GET', '/-/v1/content?bucket=photos&key=absent', 404, 'NoSuchKey'],
    ['GET', '/-/v1/content?bucket=photos&key=%00&__proto__=1', 400, 'InvalidArgument'],
    ['PUT', '/-/v1/content?bucket=absent&key=a', 404, 'NoSuchBucket'],
    ['PUT', '/-/v1/content?bucket=photos&key=a&metadata=text', 400, 'InvalidArgument'],
    ['PUT', '/-/v1/content?bucket=photos&key=a&metadata=%7B%22a%22:1%7D', 400, 'InvalidArgument'],
    ['DELETE', '/-/v1/bucket?bucket=photos', 409, 'BucketNotEmpty'],
  ])('%s %s answers %i %s', async (method, path, status, code) => {
    const answer = await send(method, path)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code, message: expect.stringMatching(/./) as string } })
  })

  it.each([
    ['nothing', ''],
    ['half of a text', '{"bucket":"a'],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x7b])],
    ['another type', '[]'],
    ['a text', '"photos"'],
    ['null', 'null'],
    ['wrong types', '{"bucket":{"name":"photos"}}'],
    ['an unknown field', '{"bucket":"new-bucket","color":"red"}'],
    ['deep nesting', '['.repeat(30_000)],
  ])('has a body of %s: InvalidArgument', async (_title, body) => {
    const answer = await send('POST', '/-/v1/buckets', body)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'InvalidArgument' } })
  })

  it('has more JSON than any operation takes: EntityTooLarge, and the rest is not kept', async () => {
    const answer = await send('POST', '/-/v1/buckets', JSON.stringify({ bucket: 'b'.repeat(30_000_000) }))
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'EntityTooLarge' } })
    await isUseful()
  })

  it('is not HTTP, or has no end: the connection is closed', async () => {
    expect(await exchanged('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await exchanged(new Uint8Array(1000).fill(0xee))).toMatch(/^HTTP\/1\.1 400 /)
    expect(await exchanged(`GET /-/v1/log HTTP/1.1\r\nx: ${'y'.repeat(40_000)}`)).toMatch(/^HTTP\/1\.1 431 /)
    expect(await exchanged(`GET /-/v1/log?${'y'.repeat(40_000)} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
    await isUseful()
  })

  it('is one of hundreds on a connection, sent without a wait: each is answered in its order, or the connection ends', async () => {
    const answers = await exchanged('GET /-/v1/status HTTP/1.1\r\n\r\n'.repeat(500))
    expect(answers.split('HTTP/1.1 200').length - 1).toBeGreaterThan(10)
    await isUseful()
  })
})

describe('clients that stall', () => {
  it('lock no other client out, however many there are', async () => {
    const halves = [
      'GET /-/v1',
      'PUT /-/v1/content?bucket=photos&key=half HTTP/1.1\r\ncontent-length: 100\r\n\r\nhalf',
      '',
    ]
    for (let i = 0; i < 1000; i++) {
      const socket = await connected()
      socket.write(halves[i % halves.length] as string)
    }
    await isUseful()
    expect(await store.objects.head('photos', 'half').catch(({ code }: { code: string }) => code)).toBe('NoSuchKey')
  })

  it('make room when none of them reads its answer, and what they held is let go', async () => {
    for (let i = 0; i < 200; i++) {
      const socket = await connected()
      socket.pause()
      socket.write(`GET /-/v1/${i % 2 === 0 ? 'log' : 'content?bucket=photos&key=large'} HTTP/1.1\r\n\r\n`)
    }
    const before = process.memoryUsage().rss
    await isUseful()
    await delay(200)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
    for (const socket of sockets) socket.destroy()
    await isUseful()
  })

  it('do not end a follower that waits for events', async () => {
    const attached = await attachStore(dir)
    const events = attached.log({ from: store.seq + 1, follow: true })[Symbol.asyncIterator]()
    const next = events.next()
    await delay(50)
    for (let i = 0; i < 200; i++) (await connected()).write('GET /')
    const { seq } = await store.objects.put('photos', 'later', 'x')
    expect(await next).toMatchObject({ value: { seq } })
    await events.return?.(undefined)
    await attached.close()
  })
})

describe('the store of another process', () => {
  it('takes and gives bytes as a stream, and a stream that fails stores nothing', async () => {
    const attached = await attachStore(dir)
    async function* chunks(count: number, fails = false) {
      for (let i = 0; i < count; i++) yield new Uint8Array(64 * 1024).fill(i)
      if (fails) throw new Error('the source gave up')
    }
    const { size } = await attached.objects.put('photos', 'streamed', chunks(100))
    expect(size).toBe(100 * 64 * 1024)
    const [given, got] = [createHash('md5'), createHash('md5')]
    for await (const chunk of chunks(100)) given.update(chunk)
    for await (const chunk of (await attached.objects.get('photos', 'streamed')).body) got.update(chunk)
    expect(got.digest('hex')).toBe(given.digest('hex'))
    await expect(attached.objects.put('photos', 'failed', chunks(10, true))).rejects.toThrow('the source gave up')
    await expect(attached.objects.head('photos', 'failed')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await attached.close()
  })

  it('refuses before it takes the bytes, and after it has taken some', async () => {
    const attached = await attachStore(dir)
    let taken = 0
    async function* counted() {
      for (;;) {
        taken++
        yield new Uint8Array(64 * 1024)
      }
    }
    const lost = attached.objects.put('absent', 'a', counted())
    await expect(lost).rejects.toMatchObject({ code: 'NoSuchBucket' })
    expect(taken).toBe(0)
    const stop = new AbortController()
    const stopped = attached.objects.put('photos', 'endless', counted(), { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 100)
    await expect(stopped).rejects.toThrow('enough')
    await expect(attached.objects.head('photos', 'endless')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await attached.close()
  })

  it('acts as the owner of the directory: the log has the actor local', async () => {
    const own = await openStore(scratch.next(), { actor: { id: 'ann', name: 'Ann' } })
    const attached = await attachStore(own.dir ?? '')
    await attached.buckets.create('photos')
    for await (const { by } of own.log({ from: 2 })) expect(by).toEqual({ id: 'local', name: 'local' })
    await attached.close()
    await own.close()
  })

  it('ends each request in progress with StoreClosed when its owner closes it, and closes soon', async () => {
    const own = await openStore(scratch.next())
    await own.buckets.create('photos')
    await own.objects.put('photos', 'large', new Uint8Array(30 * 1024 * 1024))
    const attached = await attachStore(own.dir ?? '')
    const followed = attached.log({ follow: true, from: own.seq })[Symbol.asyncIterator]()
    await followed.next()
    const content = await attached.objects.get('photos', 'large')
    const bytes = content.body[Symbol.asyncIterator]()
    await bytes.next()
    const began = performance.now()
    const closing = own.close()
    await expect(followed.next()).rejects.toMatchObject({ code: 'StoreClosed' })
    await closing
    expect(performance.now() - began).toBeLessThan(5000)
    const drain = async () => {
      for (;;) if ((await bytes.next()).done === true) return
    }
    await expect(drain()).rejects.toMatchObject({ code: 'StoreClosed' })
    await expect(attached.buckets.head('photos')).rejects.toMatchObject({ code: 'StoreClosed' })
    await attached.close()
  })
})
