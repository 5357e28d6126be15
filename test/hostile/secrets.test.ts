/** Credentials leave no trace: not in the store, not in the log of requests, not in answers. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, sign } from '../acceptance/support/call.ts'
import { openTestService } from '../acceptance/support/test-service.ts'
import { exchange, requestBytes, requestText } from '../acceptance/support/wire.ts'
import { filesHolding, openScene, type Scene, secret } from './scene.ts'

const token = 'a-token-of-a-session'

describe('secrets', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene.stop())

  /** A URL, good for GET of the path, and its signature. */
  const urlOf = (rawPath: string, method = 'GET', sessionToken?: string) => {
    const { server } = scene
    return presign(
      { method, rawPath, headers: [['host', server.host]] },
      {
        ...server.credentials('root'),
        ...(sessionToken !== undefined && { sessionToken }),
        region: 'eu',
        now: Date.now(),
        expiresSeconds: 60,
      },
    )
  }
  const requestOf = (line: string, rawQuery: string) =>
    requestText(`${line}?${rawQuery}`, [`host: ${scene.server.host}`, 'content-length: 1'], 'x')

  it('and signatures and tokens are neither stored, nor logged, nor answered', async () => {
    const { server } = scene
    const put = urlOf('/hostile/presigned', 'PUT')
    const get = urlOf('/hostile/object', 'GET', token)
    const headers = { 'x-amz-security-token': token }
    const signed = sign(server, 'GET /hostile/object', { headers })
    const written: CallOptions = { headers: { 'x-amz-meta-a': 'b' }, body: 'x' }
    const authorization = signed.headers.map(([name, value]) => `${name}: ${value}`)
    const answers = [
      await exchange(server, requestOf('PUT /hostile/presigned', put.rawQuery), 'PUT'),
      await exchange(server, requestOf('PUT /hostile/object', get.rawQuery), 'PUT'),
      await exchange(server, requestOf('GET /hostile/object', `${get.rawQuery}&a=b`)),
      await exchange(server, requestText('GET /hostile/object', authorization)),
      await exchange(server, requestText('GET /hostile/secret', authorization)),
      await exchange(server, requestBytes(server, 'GET /hostile?location', { headers: { authorization: 'Basic x' } })),
      await scene.service.ask('PUT /hostile/written', written),
      await exchange(server, requestText('GET /hostile/%zz', authorization)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 400, 403, 400, 200, 400])
    const output = answers.map(({ headers: sent, text }) => JSON.stringify(sent) + text)
    for (const kept of [secret, token, put.signature, get.signature, signed.seedSignature]) {
      expect(output.filter((text) => text.includes(kept))).toEqual([])
      expect(scene.log.filter((text) => text.includes(kept))).toEqual([])
      expect(await filesHolding(server.dir, kept)).toEqual([])
    }
    expect(await filesHolding(server.dir, 'hidden words')).not.toEqual([])
  })

  // Windows has no such bits.
  it.skipIf(process.platform === 'win32')('lie in files that only their owner can read', async () => {
    const { dir } = scene.server
    for (const name of ['.', ...(await readdir(dir, { recursive: true }))]) {
      const found = await stat(join(dir, name)).catch(() => undefined)
      if (found === undefined || (found.isFile() && name.startsWith('events'))) continue
      expect([name, found.mode & 0o077]).toEqual([name, 0])
    }
  })
})

describe('what SigV4 leaves open', () => {
  it('is that a signed request can be sent twice: it has no nonce', async () => {
    const service = await openTestService()
    try {
      const bucket = await service.bucket()
      const bytes = requestBytes(service.server, `GET /${bucket}?location`)
      expect((await exchange(service.server, bytes)).status).toBe(200)
      expect((await exchange(service.server, bytes)).status).toBe(200)
    } finally {
      await service.stop()
    }
  })

  it('is the body, which a server can require to be signed', async () => {
    const service = await openTestService({ serve: { unsignedPayload: 'refuse' } })
    try {
      const bucket = await service.bucket()
      const answer = await service.ask(`PUT /${bucket}/a`, { body: 'a', payloadHash: 'UNSIGNED-PAYLOAD' })
      expect([answer.status, answer.code()]).toEqual([403, 'AccessDenied'])
      expect((await service.ask(`PUT /${bucket}/a`, { body: 'a' })).status).toBe(200)
      expect((await service.ask(`GET /${bucket}/a`, { payloadHash: 'UNSIGNED-PAYLOAD' })).status).toBe(200)
    } finally {
      await service.stop()
    }
  })
})
