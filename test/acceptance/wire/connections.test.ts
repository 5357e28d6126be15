/** The states of a connection: continues, refusals before the body, and clients that stall, vanish or send too much. */
import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasLargeFiles } from '../../layouts/layout-parts.ts'
import { openTestService, partBytesMin, refusal, type TestService } from '../support/test-service.ts'
import { connect, exchange, requestBytes, requestText } from '../support/wire.ts'

/** Where Linux lists the open files. Other systems have no such directory. */
const openFilesAreKnown = existsSync('/proc/self/fd') && hasLargeFiles
if (!openFilesAreKnown) console.log('Skipped: there are no files of blobs here, or no /proc that tells which are open.')

/** Paths of files that this process has open below a directory. */
async function openFiles(dir: string): Promise<readonly string[]> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => ''))
  return (await Promise.all(links)).filter(
    (path) => path.startsWith(join(dir, 'blobs')) || path.startsWith(join(dir, 'tmp')),
  )
}

/** Polls until the condition holds. */
async function soon(holds: () => Promise<boolean>, ms = 2000): Promise<boolean> {
  const until = Date.now() + ms
  while (Date.now() < until) {
    if (await holds()) return true
    await delay(20)
  }
  return holds()
}

const size = (bytes: number) => `content-length: ${bytes}`

describe('connections', () => {
  let service: TestService
  beforeAll(async () => {
    service = await openTestService({
      serve: {
        headersTimeoutMs: 300,
        idleTimeoutMs: 1500,
        minimumSpeed: { bytesPerSecond: 1024, windowMs: 400 },
      },
    })
    await service.ask('PUT /wire')
    await service.ask('PUT /anns', { as: 'ann' })
    await service.put('/wire/object', 'object')
  })
  afterAll(() => service.stop())

  const request = (line: string, options: Parameters<typeof requestBytes>[2] = {}) =>
    requestBytes(service.server, line, options)
  const location = () => request('GET /wire?location')

  it('sends 100 Continue once, and then the answer', async () => {
    const wire = await connect(service.server)
    wire.send(request('PUT /wire/continued', { extra: [size(4), 'expect: 100-continue'] }))
    expect((await wire.answer()).status).toBe(100)
    wire.send('body')
    expect((await wire.answer('PUT')).status).toBe(200)
    wire.send(location())
    expect((await wire.answer()).xml().text).toBe('eu')
    wire.vanish()
    expect((await service.ask('GET /wire/continued')).text).toBe('body')
  })

  it('sends no 100 Continue for an empty body it does not wait for', async () => {
    const wire = await connect(service.server)
    wire.send(request('GET /wire?location', { extra: ['expect: 100-continue'] }))
    expect((await wire.answer()).xml().text).toBe('eu')
    wire.vanish()
  })

  it.each([
    ['403 without permission', 'PUT /anns/a', 'bob', 403, 'AccessDenied'],
    ['404 without a bucket', 'PUT /none-such/a', 'root', 404, 'NoSuchBucket'],
    ['404 without an upload', 'PUT /wire/a?partNumber=1&uploadId=x', 'root', 404, 'NoSuchUpload'],
  ])('answers %s instead of 100 Continue, and stays in step', async (_title, line, as, ...outcome) => {
    const wire = await connect(service.server)
    wire.send(request(line, { as, extra: [size(4), 'expect: 100-continue'] }))
    const answer = await wire.answer('PUT')
    expect(refusal(answer)).toEqual(outcome)
    if (answer.headers['connection'] === 'close') await wire.closed()
    else {
      wire.send(location())
      expect((await wire.answer()).xml().text).toBe('eu')
      wire.vanish()
    }
  })

  it('checks If-None-Match before it requests the body', async () => {
    const wire = await connect(service.server)
    const headers = { 'if-none-match': '*' }
    wire.send(request('PUT /wire/object', { headers, extra: [size(4), 'expect: 100-continue'] }))
    expect(refusal(await wire.answer('PUT'))).toEqual([412, 'PreconditionFailed'])
    wire.vanish()
  })

  it('answers an early refusal to a client that sends its body all the same', async () => {
    for (const bytes of [1000, 64 * 1024, 1024 ** 2]) {
      const wire = await connect(service.server)
      wire.send(request('PUT /none-such/a', { extra: [size(bytes)] }))
      wire.send('x'.repeat(bytes))
      const answer = await wire.answer('PUT')
      expect(refusal(answer)).toEqual([404, 'NoSuchBucket'])
      if (answer.headers['connection'] === 'close') await wire.closed()
      else {
        wire.send(location())
        expect((await wire.answer()).xml().text).toBe('eu')
        wire.vanish()
      }
    }
  })

  it('passes over a small body where none belongs, and closes after a large one', async () => {
    const small = await connect(service.server)
    small.send(request('GET /wire?location', { extra: [size(1000)], body: 'x'.repeat(1000) }))
    expect((await small.answer()).xml().text).toBe('eu')
    small.send(location())
    expect((await small.answer()).xml().text).toBe('eu')
    small.vanish()

    const large = await connect(service.server)
    large.send(request('GET /wire?location', { extra: [size(1024 ** 2)], body: 'x'.repeat(1024 ** 2) }))
    const answer = await large.answer()
    expect([answer.xml().text, answer.headers['connection']]).toEqual(['eu', 'close'])
    await large.closed()
  })

  it('has no body in answers to HEAD, so that the next answer is where it should be', async () => {
    const wire = await connect(service.server)
    const lines = ['HEAD /wire/none', 'HEAD /none-such', 'HEAD /wire/object', 'HEAD /wire']
    const malformed = requestText('HEAD /wire/a%zz', [`host: ${service.server.host}`])
    wire.send(lines.map((line) => request(line)).join('') + malformed + location())
    const statuses = []
    for (let i = 0; i <= lines.length; i += 1) statuses.push((await wire.answer('HEAD')).status)
    expect(statuses).toEqual([404, 404, 200, 200, 400])
    expect((await wire.answer()).xml().text).toBe('eu')
    wire.vanish()
  })

  it('authenticates every request on a connection', async () => {
    const wire = await connect(service.server)
    const noOne = requestText('GET /wire?location', [`host: ${service.server.host}`])
    wire.send(location() + noOne + request('GET /wire?location', { as: 'bob' }) + location())
    const statuses = []
    for (let i = 0; i < 4; i += 1) statuses.push((await wire.answer()).status)
    expect(statuses).toEqual([200, 403, 403, 200])
    wire.vanish()
  })

  it('answers 408 when the head of a request does not come, and closes', async () => {
    const wire = await connect(service.server)
    wire.send('GET /wire HTTP/1.1\r\nhost: ')
    const answer = await wire.answer()
    expect([answer.status, answer.code()]).toEqual([408, 'RequestTimeout'])
    await wire.closed()
  })

  it('answers RequestTimeout when a body does not come, and stores nothing', async () => {
    const wire = await connect(service.server)
    wire.send(request('PUT /wire/stalled', { extra: [size(100_000)], body: 'a few bytes' }))
    const drip = setInterval(() => wire.send('x'), 50)
    const answer = await wire.answer('PUT')
    clearInterval(drip)
    expect(answer.code()).toBe('RequestTimeout')
    await wire.closed()
    expect((await service.ask('HEAD /wire/stalled')).status).toBe(404)
  })

  // Without a list of open files there is nothing to see.
  it.skipIf(!openFilesAreKnown)('lets go of a reader that does not read, and of what it had open', async () => {
    const upload = await service.upload('/wire/large', {
      1: Buffer.alloc(3 * partBytesMin),
      2: Buffer.alloc(3 * partBytesMin),
    })
    expect((await upload.complete()).status).toBe(200)
    const wire = await connect(service.server)
    wire.socket.pause()
    wire.send(request('GET /wire/large'))
    expect(await soon(async () => (await openFiles(service.server.dir)).length > 0)).toBe(true)
    expect(await soon(async () => (await openFiles(service.server.dir)).length === 0, 6000)).toBe(true)
    wire.socket.resume()
    await wire.closed()
  })

  // Without a list of open files there is nothing to see.
  it.skipIf(!openFilesAreKnown)('lets go of a reader that vanishes', async () => {
    await service.put('/wire/big', Buffer.alloc(16 * 1024 ** 2))
    const wire = await connect(service.server)
    wire.socket.pause()
    wire.send(request('GET /wire/big'))
    expect(await soon(async () => (await openFiles(service.server.dir)).length > 0)).toBe(true)
    wire.vanish()
    expect(await soon(async () => (await openFiles(service.server.dir)).length === 0, 1000)).toBe(true)
  })

  const cut: readonly (readonly [string, (key: string) => string, (key: string) => string])[] = [
    ['an object', (key) => `PUT /wire/${key}`, (key) => `/wire/${key}`],
    ['a part', () => 'PUT /wire/parts?partNumber=1&UPLOAD', () => '/wire/parts'],
  ]
  for (const [what, line, path] of cut) {
    for (const [how, end] of [
      ['vanishes', 'vanish'],
      ['ends early', 'finish'],
    ] as const) {
      // Without a list of open files there is nothing to see.
      it.skipIf(!openFilesAreKnown)(`leaves nothing behind when a client ${how} in the middle of ${what}`, async () => {
        const key = `cut-${how.replace(' ', '-')}`
        const { uploadId } = await service.upload('/wire/parts')
        const target = line(key).replace('UPLOAD', `uploadId=${uploadId}`)
        const blobs = await blobCount(service)
        const wire = await connect(service.server)
        wire.send(request(target, { extra: [size(4 * 1024 ** 2)] }))
        wire.send(Buffer.alloc(2 * 1024 ** 2, 'x'))
        expect(await soon(async () => (await openFiles(service.server.dir)).length > 0)).toBe(true)
        wire[end]()
        const isGone = async () =>
          (await readdir(join(service.server.dir, 'tmp'))).length === 0 &&
          (await openFiles(service.server.dir)).length === 0
        expect(await soon(isGone, 1000)).toBe(true)
        if (end === 'finish') await wire.closed()
        expect((await service.ask(`HEAD ${path(key)}`)).status).toBe(404)
        const parts = await service.ask(`GET /wire/parts?uploadId=${uploadId}`)
        expect(parts.xml().all('Part')).toEqual([])
        expect(await blobCount(service)).toBe(blobs)
      })
    }
  }

  it('answers IncompleteBody when a client ends a body before its announced length', async () => {
    const wire = await connect(service.server)
    wire.send(request('PUT /wire/short', { extra: [size(10)], body: 'short' }))
    wire.finish()
    const answer = await wire.answer('PUT')
    expect([answer.status, answer.code()]).toEqual([400, 'IncompleteBody'])
    expect((await service.ask('HEAD /wire/short')).status).toBe(404)
  })

  it('takes of a body what was promised, and the rest for a request that is none', async () => {
    const wire = await connect(service.server)
    wire.send(request('PUT /wire/long', { extra: [size(4)], body: 'long' }))
    expect((await wire.answer('PUT')).status).toBe(200)
    wire.send(' and longer')
    expect((await wire.answer()).status).toBeGreaterThanOrEqual(400)
    await wire.closed()
    expect((await service.ask('GET /wire/long')).text).toBe('long')
  })

  it('answers a request with its true result, whatever bytes come right behind it', async () => {
    const wire = await connect(service.server)
    wire.send(request('PUT /wire/behind', { extra: [size(4)], body: 'bodyand something else' }))
    const { status } = await wire.answer('PUT')
    await wire.closed()
    await delay(100)
    const stored = (await service.ask('HEAD /wire/behind')).status === 200
    expect({ status, stored }).toEqual({ status, stored: status === 200 })
  })

  it('lets exactly one of many If-None-Match: * succeed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          service.ask(`PUT /wire/race-${round}`, { body: `writer ${i}`, headers: { 'if-none-match': '*' } }),
        ),
      )
      const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
      expect(winners).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 412 || status === 409)).toHaveLength(49)
      expect((await service.ask(`GET /wire/race-${round}`)).text).toBe(`writer ${winners[0]}`)
    }
  })

  it('answers health to anyone, and nothing else', async () => {
    const host = `host: ${service.server.host}`
    const answer = await exchange(service.server, requestText('GET /-/health', [host]))
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { state: 'open' }])
    expect((await exchange(service.server, requestText('GET /-/other', [host]))).status).toBeGreaterThanOrEqual(400)
  })
})

async function blobCount(service: TestService): Promise<number> {
  const names = await readdir(join(service.server.dir, 'blobs'), { recursive: true })
  return names.filter((name) => /[0-9a-f]{32}$/.test(name)).length
}
