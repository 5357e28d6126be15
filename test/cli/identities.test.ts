/** `varve identities`: what changes counts at once in a running server, with workers and without. */
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { attachStore, openStore } from 'varve'
import { presign, signRequest } from 'varve/http'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const root: Keys = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }

function ask({ url }: Server, keys: Keys, line: string, length = 0): ClientRequest {
  const [method = '', path = ''] = line.split(' ')
  const headers = [
    ['host', new URL(url).host],
    ['content-length', String(length)],
  ] as const
  const options = { ...keys, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
  const signed = signRequest({ method, rawPath: path, headers }, options)
  return request(url, { method, path, headers: Object.fromEntries(signed.headers), agent: false })
}

async function send(server: Server, keys: Keys, line: string, body = ''): Promise<number> {
  const requested = ask(server, keys, line, body.length)
  requested.end(body)
  const [response] = (await once(requested, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}

async function run(...args: string[]): Promise<Record<string, unknown>[]> {
  const { status, stdout, stderr } = await varve(['identities', ...args, '--json'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return jsonLines(stdout)
}

const large = 'x'.repeat(40 * 1024 * 1024)
const mayList = { Effect: 'Allow', Action: 's3:ListBucket', Resource: 'arn:aws:s3:::shared' }
const policy = JSON.stringify({ Version: '2012-10-17', Statement: [mayList] })

/** What a client of these keys has in progress: it reads, it writes, and it has a URL. */
async function activity(server: Server, keys: Keys) {
  const reading = ask(server, keys, 'GET /annex/large')
  reading.end()
  const [response] = (await once(reading, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  const writing = ask(server, keys, 'PUT /annex/slow', 1_000_000)
  writing.on('error', () => undefined)
  writing.write('a')
  const ended = Promise.all([response, writing].map((one) => new Promise((resolve) => one.once('close', resolve))))
  const url = presign(
    { method: 'GET', rawPath: '/annex/small', headers: [['host', new URL(server.url).host]] },
    { ...keys, region: 'eu', now: Date.now(), expiresSeconds: 600 },
  )
  // A client that does not read does not notice the end of its connection.
  const readOn = () => response.resume()
  return {
    ended,
    readOn,
    response,
    ofUrl: async () => (await fetch(`${server.url}/annex/small?${url.rawQuery}`)).status,
  }
}

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('identities of a server with %s', (_, workers) => {
  it('count without a restart, and end what they do when their key is revoked', async () => {
    const dir = next()
    const server = await serve(['--dir', dir, ...workers], variables)
    expect(await send(server, root, 'PUT /shared')).toBe(200)
    const [, first] = (await run('add', 'ann', '--dir', dir)) as unknown as [unknown, Keys]
    const { identities, close } = await attachStore(dir)
    expect(await send(server, first, 'PUT /annex')).toBe(200)
    expect(await send(server, first, 'GET /shared')).toBe(403)
    expect(await send(server, first, 'PUT /annex/large', large)).toBe(200)
    expect(await send(server, first, 'PUT /annex/small', 'small')).toBe(200)

    const second = await identities.addKey('ann')
    expect(await send(server, second, 'GET /annex')).toBe(200)
    const { ended, readOn, response, ofUrl } = await activity(server, first)
    expect(await ofUrl()).toBe(200)
    await identities.revokeKey('ann', first.accessKeyId)
    const revokedAt = performance.now()
    expect(await ofUrl()).toBe(403)
    const refusedMs = performance.now() - revokedAt
    await delay(600)
    readOn()
    await ended
    expect(response.complete).toBe(false)
    console.log(
      `Refused after ${Math.round(refusedMs)} ms, ended at most ${Math.round(performance.now() - revokedAt)} ms after.`,
    )
    expect(await send(server, second, 'GET /annex/slow')).toBe(404)

    await identities.setPolicies('ann', { policy })
    expect(await send(server, second, 'GET /shared')).toBe(200)
    expect(await send(server, second, 'GET /annex')).toBe(403)
    await identities.remove('ann')
    expect(await send(server, second, 'GET /shared')).toBe(403)
    await close()
    expect((await server.stop()).status).toBe(0)
    const again = await serve(['--dir', dir, ...workers], variables)
    for (const keys of [first, second]) expect(await send(again, keys, 'GET /shared')).toBe(403)
    await again.stop()
  }, 120_000)
})

describe('the quota of an identity', () => {
  it('holds over S3 as soon as root sets it with the command, and the identity cannot lift it', async () => {
    const dir = next()
    const server = await serve(['--dir', dir], variables)
    const [, keys] = (await run('add', 'ann', '--dir', dir)) as unknown as [unknown, Keys]
    expect(await send(server, keys, 'PUT /annex')).toBe(200)
    expect(await run('quota', 'ann', '--bytes', '1KiB', '--buckets', '1', '--dir', dir)).toMatchObject([
      { quota: { bytes: 1024, buckets: 1 }, usage: { bytes: 0, buckets: 1 } },
    ])
    expect(await send(server, keys, 'PUT /another')).toBe(400)
    expect(await send(server, keys, 'PUT /annex/fits', 'x'.repeat(1000))).toBe(200)
    expect(await send(server, keys, 'PUT /annex/more', 'x'.repeat(25))).toBe(403)
    expect(await send(server, root, 'PUT /annex/more', 'x'.repeat(25))).toBe(403)
    expect(await send(server, keys, 'PUT /-/v1/identity/quota', '{"name":"ann"}')).toBe(403)
    expect(await send(server, root, 'PUT /-/v1/identity/quota', '{"name":"ann"}')).toBe(200)
    expect(await send(server, keys, 'PUT /annex/more', 'x'.repeat(25))).toBe(200)
    await server.stop()
    const { stdout } = await varve(['identities', 'show', 'ann', '--dir', dir])
    expect(stdout).toContain('ann  no quota  used: 1025 bytes, buckets: 1')
  }, 120_000)
})

describe('an identity file', () => {
  it('goes on counting, but not for what the log knows: what was imported and revoked stays revoked', async () => {
    const dir = next()
    const ofFile = { accessKeyId: 'AKIAOFFILE', secretAccessKey: 'the-secret-of-a-file' }
    const other = { accessKeyId: 'AKIAOTHER', secretAccessKey: 'the-secret-of-another' }
    const file = `${next()}.json`
    const entries = [
      { name: 'root', root: true, ...root },
      { name: 'ann', ...ofFile },
      { name: 'bob', ...other },
    ]
    await writeFile(file, JSON.stringify({ identities: entries }))
    await chmod(file, 0o600)
    const server = await serve(['--dir', dir, '--identities', file, '--json'])
    expect(await send(server, ofFile, 'PUT /annex')).toBe(200)
    const imported = await run('import', file, '--dir', dir)
    expect(imported.map(({ kind, name }) => [kind, name])).toEqual([
      ['skipped', 'root'],
      ['identity', 'ann'],
      ['identity', 'bob'],
    ])
    expect((await run('import', file, '--dir', dir)).map(({ kind }) => kind)).toEqual(['skipped', 'known', 'known'])
    expect(await send(server, ofFile, 'GET /annex')).toBe(200)
    await run('revoke', 'ann', ofFile.accessKeyId, '--dir', dir)
    expect(await send(server, ofFile, 'GET /annex')).toBe(403)
    expect(await send(server, other, 'GET /')).toBe(200)
    await server.stop()

    const again = await serve(['--dir', dir, '--identities', file, '--json'])
    expect(await send(again, ofFile, 'GET /annex')).toBe(403)
    expect([await send(again, other, 'GET /'), await send(again, root, 'GET /annex')]).toEqual([200, 200])
    const { stdout } = await again.stop()
    const ignored = jsonLines(stdout).filter(({ kind }) => kind === 'identity-ignored')
    expect(ignored.map(({ name }) => name)).toEqual(['ann', 'bob'])
    const store = await openStore(dir)
    expect((await store.identities.get('ann')).accessKeys).toEqual([])
    await store.close()
    expect(await readFile(file, 'utf8')).toContain(ofFile.secretAccessKey)
  }, 120_000)
})
