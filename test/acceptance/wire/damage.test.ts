/** Bytes that are damaged or gone on disk: an error, never other bytes, never "no such key"; and limits on connections. */
import { open, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasLargeFiles } from '../../layouts/layout-parts.ts'
import type { Answer } from '../support/call.ts'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'
import { connect, requestBytes, type Wire } from '../support/wire.ts'

const mebibyte = 1024 ** 2
const body = Buffer.alloc(4 * mebibyte, 'sediment ')

/** Files of the largest size below `blobs/`. */
async function blobs(dir: string): Promise<ReadonlySet<string>> {
  const names = await readdir(join(dir, 'blobs'), { recursive: true })
  const sized = await Promise.all(names.map(async (name) => ({ name, found: await stat(join(dir, 'blobs', name)) })))
  return new Set(sized.filter(({ found }) => found.isFile()).map(({ name }) => join(dir, 'blobs', name)))
}

async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    byte[0] = (byte[0] ?? 0) ^ 1
    await file.write(byte, 0, 1, at)
    await file.sync()
  } finally {
    await file.close()
  }
}

// Elsewhere there is no file that holds the bytes of one object and nothing else.
describe.skipIf(!hasLargeFiles)('damaged bytes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await openTestService()
    await service.ask('PUT /damage')
  })
  afterAll(() => service.stop())

  /** Stores an object and returns the file of its bytes. */
  async function stored(key: string): Promise<string> {
    const before = await blobs(service.server.dir)
    await service.put(`/damage/${key}`, body)
    const added = [...(await blobs(service.server.dir))].filter((path) => !before.has(path))
    expect(added).toHaveLength(1)
    return added[0] ?? ''
  }

  /** The answer, or `'broken off'` when the connection broke. */
  async function read(line: string): Promise<Answer | 'broken off'> {
    return service.ask(line).catch(() => 'broken off' as const)
  }

  it('at the beginning: InternalError before anything is sent', async () => {
    await flip(await stored('first'), 10)
    const answer = await service.ask('GET /damage/first')
    expect(refusal(answer)).toEqual([500, 'InternalError'])
    expect(answer.text).not.toContain(service.server.dir)
  })

  it('in the middle: good bytes, and then the connection ends short of its promise', async () => {
    await flip(await stored('middle'), 3 * mebibyte)
    const wire = await connect(service.server)
    let received: Buffer = Buffer.alloc(0)
    wire.socket.on('data', (piece: Buffer) => (received = Buffer.concat([received, piece])))
    wire.send(requestBytes(service.server, 'GET /damage/middle'))
    await wire.closed()
    const text = received.toString('latin1')
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain(`Content-Length: ${body.length}`)
    const sent = received.subarray(received.indexOf('\r\n\r\n') + 4)
    expect(sent.length).toBeLessThan(body.length)
    expect(sent.equals(body.subarray(0, sent.length))).toBe(true)
  })

  it('outside the requested range do not matter', async () => {
    await flip(await stored('range'), 3 * mebibyte)
    const answer = await service.ask('GET /damage/range', { headers: { range: 'bytes=0-99' } })
    expect([answer.status, answer.body.equals(body.subarray(0, 100))]).toEqual([206, true])
    const damaged = { headers: { range: `bytes=${3 * mebibyte}-${3 * mebibyte + 9}` } }
    expect(refusal(await service.ask('GET /damage/range', damaged))).toEqual([500, 'InternalError'])
  })

  it('cut short: never fewer bytes in a whole answer', async () => {
    const path = await stored('short')
    const file = await open(path, 'r+')
    await file.truncate(body.length - 1)
    await file.close()
    const answer = await read('GET /damage/short')
    if (answer !== 'broken off') expect(refusal(answer)).toEqual([500, 'InternalError'])
  })

  it('gone: InternalError, still listed, and back when they are back', async () => {
    const path = await stored('gone')
    await rename(path, `${path}.away`)
    expect(refusal(await service.ask('GET /damage/gone'))).toEqual([500, 'InternalError'])
    const listed = (await service.list('damage', 'prefix=gone')).all('Version')
    expect(listed.map((version) => version.get('Size'))).toEqual([String(body.length)])
    await rename(`${path}.away`, path)
    expect((await service.ask('GET /damage/gone')).body.equals(body)).toBe(true)
  })

  it('are of no concern to others: the server goes on', async () => {
    await service.put('/damage/whole', body)
    expect((await service.ask('GET /damage/whole')).body.equals(body)).toBe(true)
    expectStatus(await service.ask('DELETE /damage/first'), 204)
  })
})

describe('connections beyond a limit', () => {
  it('are dropped when there are too many at once, and taken again later', async () => {
    const service = await openTestService({ serve: { connectionsMax: 2 } })
    try {
      const location = () => requestBytes(service.server, 'GET /-/health')
      // In use: an idle one would give its place to the third.
      const unfinished = requestBytes(service.server, 'PUT /bucket', { extra: ['content-length: 5'] })
      const held = [await connect(service.server), await connect(service.server)]
      for (const wire of held) {
        wire.send(location())
        expect((await wire.answer()).status).toBe(200)
        wire.send(unfinished)
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
      const third = await connect(service.server)
      third.send(location())
      await expect(third.answer()).rejects.toThrow('ended')
      for (const wire of held) wire.vanish()
      await expect
        .poll(async () => {
          const wire = await connect(service.server)
          wire.send(location())
          return wire.answer().then(
            ({ status }) => status,
            () => 0,
          )
        })
        .toBe(200)
    } finally {
      await service.stop()
    }
  })

  it('give their place to a new one of the same address when they are idle, the longest idle one first', async () => {
    const service = await openTestService({ serve: { connectionsMax: 2 } })
    try {
      const answered = async (wire: Wire) => {
        wire.send(requestBytes(service.server, 'GET /-/health'))
        return (await wire.answer()).status
      }
      const [first, second] = [await connect(service.server), await connect(service.server)]
      for (const wire of [first, second]) expect(await answered(wire)).toBe(200)
      const third = await connect(service.server)
      expect(await answered(third)).toBe(200)
      await first.closed()
      expect(await answered(second)).toBe(200)
      for (const wire of [second, third]) wire.vanish()
    } finally {
      await service.stop()
    }
  })

  it('announce their end after the last request they may carry, and carry no more', async () => {
    const service = await openTestService({ serve: { requestsPerConnectionMax: 3 } })
    try {
      const wire = await connect(service.server)
      for (const last of [false, false, true]) {
        wire.send(requestBytes(service.server, 'GET /-/health'))
        const { status, headers } = await wire.answer()
        expect([status, headers['connection'] === 'close']).toEqual([200, last])
      }
      wire.send(requestBytes(service.server, 'GET /-/health'))
      expect((await wire.answer()).status).toBe(503)
      wire.vanish()
    } finally {
      await service.stop()
    }
  })
})
