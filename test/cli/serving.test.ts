/** `varve serve`: identities, start and end. `test/acceptance` tests what it answers. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { signRequest } from 'varve/http'
import { expectKept } from './expect-kept.ts'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, start, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const root = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const rootVariables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }

interface Ask {
  readonly method: string
  readonly path: string
  readonly as?: typeof root
  readonly region?: string
  readonly length?: number
  readonly host?: string
}

/** A signed request whose body is still to be sent. */
function ask(
  { url }: Pick<Server, 'url'>,
  { method, path, as = root, region = 'eu', length = 0, host }: Ask,
): ClientRequest {
  const headers = [
    ['host', host ?? new URL(url).host],
    ['content-length', String(length)],
  ] as const
  const options = { ...as, region, now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const signed = signRequest({ method, rawPath, rawQuery, headers }, options)
  return request(url, { method, path, headers: Object.fromEntries(signed.headers) })
}

interface Reply {
  readonly status: number
  readonly text: string
}

async function reply(requested: ClientRequest): Promise<Reply> {
  const [response] = (await once(requested, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}

async function send(server: Pick<Server, 'url'>, what: Ask, body = ''): Promise<Reply> {
  const requested = ask(server, { ...what, length: body.length })
  requested.end(body)
  return reply(requested)
}

const health = async ({ url }: Server): Promise<number> => (await fetch(`${url}/-/health`)).status

describe('a first start', () => {
  it('makes root credentials, 0600, and shows them once', async () => {
    const dir = next()
    const first = await serve([dir])
    const file = join(dir, 'root-credentials.json')
    const { identities } = JSON.parse(await readFile(file, 'utf8')) as { identities: (typeof root)[] }
    const [pair = root] = identities
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(first.stdout()).toContain(pair.secretAccessKey)
    expect(await send(first, { method: 'PUT', path: '/photos', as: pair })).toMatchObject({ status: 200 })
    await first.stop()

    const second = await serve([dir, '--json'])
    expect(await send(second, { method: 'PUT', path: '/photos/a', as: pair }, 'hello')).toMatchObject({ status: 200 })
    const { stdout, stderr } = await second.stop()
    expect(stdout + stderr).not.toContain(pair.secretAccessKey)
    expect(await varve(['cat', 's3://photos/a', '--dir', dir])).toMatchObject({ status: 0, stdout: 'hello' })
  })

  it.each(['segments+tiered', 'lmdb+files', 'sqlite+files'])(
    'makes a store of layout %s, and no other',
    async (layout) => {
      const dir = next()
      const server = await serve([dir, '--layout', layout])
      await server.stop()
      expect(await readFile(join(dir, 'FORMAT'), 'utf8')).toContain(`"layout":"${layout}"`)
      expect(await varve(['serve', dir, '--layout', 'level+files'])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`The store has the layout ${layout}, not level+files.`) as string,
      })
      await (await serve([dir])).stop()
    },
  )

  it('prints JSON on request: the credentials, then its address', async () => {
    const dir = next()
    const server = await serve([dir, '--json', '--dialect', 'aws'])
    const [credentials, ready] = jsonLines(server.stdout())
    expect(credentials).toMatchObject({ kind: 'root-credentials', file: join(dir, 'root-credentials.json') })
    expect(ready).toEqual({
      kind: 'ready',
      url: server.url,
      console: `${server.url}/-/console/`,
      dir,
      storeId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      region: 'us-east-1',
      dialect: 'aws',
      pid: server.process.pid,
    })
    expect(Number(new URL(server.url).port)).toBeGreaterThan(0)
  })

  it('makes no credentials when there are some', async () => {
    const dir = next()
    const server = await serve([dir], rootVariables)
    expect(await readdir(dir)).not.toContain('root-credentials.json')
    expect(await send(server, { method: 'PUT', path: '/photos' })).toMatchObject({ status: 200 })
    const { stdout, stderr } = await server.stop()
    expect(stdout + stderr).not.toContain(root.secretAccessKey)
  })
})

describe('identities', () => {
  const ann = { accessKeyId: 'ann-key', secretAccessKey: 'ann-secret' }
  const identityFile = async (mode: number): Promise<string> => {
    const path = next()
    await writeFile(path, JSON.stringify({ identities: [{ name: 'ann', ...ann }] }))
    await chmod(path, mode)
    return path
  }

  it('come from a file, from the environment, or both', async () => {
    const server = await serve([next(), '--identities', await identityFile(0o600)], rootVariables)
    expect(await send(server, { method: 'PUT', path: '/of-ann', as: ann })).toMatchObject({ status: 200 })
    expect(await send(server, { method: 'PUT', path: '/of-root' })).toMatchObject({ status: 200 })
    const stranger = { accessKeyId: 'nobody', secretAccessKey: 'nothing-at-all' }
    expect(await send(server, { method: 'GET', path: '/', as: stranger })).toMatchObject({ status: 403 })
    expect((await fetch(server.url)).status).toBe(403)
  })

  it('are refused from a file that others can read, and nothing is made', async () => {
    const dir = next()
    const file = await identityFile(0o640)
    const { status, stderr } = await varve(['serve', dir], { VARVE_IDENTITIES: file })
    expect(status).toBe(1)
    expect(stderr).toContain(`${file} is open to others (mode 0640)`)
    expect(stderr).not.toContain(ann.secretAccessKey)
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('are refused by halves', async () => {
    const { status, stderr } = await varve(['serve', next()], { VARVE_ACCESS_KEY_ID: 'root-key' })
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('only one is set') as string,
    })
  })
})

describe('settings', () => {
  it('come from the environment, and flags win', async () => {
    const [fromEnv, fromFlag] = [next(), next()]
    const variables = {
      ...rootVariables,
      VARVE_DIR: fromEnv,
      VARVE_REGION: 'moon',
      VARVE_PORT: '1',
      VARVE_DIALECT: 'aws',
    }
    const server = await serve(['--dir', fromFlag, '--region', 'mars', '--json'], variables)
    expect(jsonLines(server.stdout())).toMatchObject([{ dir: fromFlag, region: 'mars', dialect: 'aws' }])
    await expect(stat(fromEnv)).rejects.toMatchObject({ code: 'ENOENT' })
    const constraint = '<LocationConstraint>mars</LocationConstraint>'
    const configuration = `<CreateBucketConfiguration>${constraint}</CreateBucketConfiguration>`
    await send(server, { method: 'PUT', path: '/photos', region: 'mars' }, configuration)
    const location = await send(server, { method: 'GET', path: '/photos?location', region: 'mars' })
    expect(location).toMatchObject({ status: 200, text: expect.stringContaining('mars') })
  })

  it('give buckets host names', async () => {
    const server = await serve([next(), '--host-suffix', 'Store.Example,other.example'], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    const put = { method: 'PUT', path: '/a', host: 'photos.store.example' }
    expect(await send(server, put, 'hello')).toMatchObject({ status: 200 })
    const get = { method: 'GET', path: '/a', host: 'photos.other.example' }
    expect(await send(server, get)).toEqual({ status: 200, text: 'hello' })
  })

  it('give websites host names', async () => {
    const server = await serve([next(), '--website-suffix', 'Site.Example'], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    const redirect = '<RedirectAllRequestsTo><HostName>other</HostName></RedirectAllRequestsTo>'
    const website = `<WebsiteConfiguration>${redirect}</WebsiteConfiguration>`
    expect(await send(server, { method: 'PUT', path: '/photos?website' }, website)).toMatchObject({ status: 200 })
    expect(await send(server, { method: 'GET', path: '/', host: 'photos.site.example' })).toMatchObject({ status: 301 })
  })

  it.each([[[]], [['--workers', '2']]])('enable version 2 signatures (%j)', async (flags) => {
    const statusWith = async (...chosen: readonly string[]) => {
      const server = await serve([next(), ...chosen, ...flags], rootVariables)
      const now = new Date().toUTCString()
      const secret = rootVariables.VARVE_SECRET_ACCESS_KEY
      const signature = createHmac('sha1', secret).update(`GET\n\n\n${now}\n/`).digest('base64')
      const Authorization = `AWS ${rootVariables.VARVE_ACCESS_KEY_ID}:${signature}`
      return (await fetch(`${server.url}/`, { headers: { Date: now, Authorization } })).status
    }
    expect(await statusWith()).toBe(400)
    expect(await statusWith('--signatures', 'v2+v4')).toBe(200)
    expect(await statusWith('--dialect', 'aws')).toBe(200)
    expect(await statusWith('--dialect', 'aws', '--signatures', 'v4')).toBe(400)
  })

  it.each([[[]], [['--workers', '2']]])('name the proxies that are believed (%j)', async (flags) => {
    const server = await serve(
      [next(), '--bucket-defaults', 'open', '--trusted-proxy', '127.0.0.1', ...flags],
      rootVariables,
    )
    await send(server, { method: 'PUT', path: '/photos' })
    await send(server, { method: 'PUT', path: '/photos/a' }, 'hello')
    const statement = {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: 'arn:aws:s3:::photos/*',
      Condition: { IpAddress: { 'aws:SourceIp': '203.0.113.0/24' }, Bool: { 'aws:SecureTransport': 'true' } },
    }
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    expect(await send(server, { method: 'PUT', path: '/photos?policy' }, policy)).toMatchObject({ status: 204 })
    const statusFor = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/photos/a`, { headers })).status
    expect(await statusFor({ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' })).toBe(200)
    expect(await statusFor({ 'x-forwarded-for': '203.0.113.9' })).toBe(403)
    expect(await statusFor({ 'x-forwarded-for': '203.0.113.9, 198.51.100.1', 'x-forwarded-proto': 'https' })).toBe(403)
    expect(await statusFor({})).toBe(403)
  })

  it('are refused when a proxy has no address, and nothing is made', async () => {
    const dir = next()
    const wrong = await varve(['serve', '--dir', dir, '--trusted-proxy', '10.0.0.1,proxy.example'])
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('proxy.example') })
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('set how long removed bytes are kept', async () => {
    const dir = next()
    const server = await serve([dir, '--retention', '1h'], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    await send(server, { method: 'PUT', path: '/photos/a' }, 'hello')
    await send(server, { method: 'DELETE', path: '/photos/a' })
    await server.stop()
    expect(await varve(['cat', 's3://photos/a', '--at', '5', '--dir', dir])).toMatchObject({ stdout: 'hello' })
  })

  it('set the rate of the scrub, which reports damage', async () => {
    const dir = next()
    const store = await openStore(dir, { inlineMax: 0 })
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'some bytes')
    await store.close()
    const blobs = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
    const blob = blobs.find((entry) => entry.isFile())
    await writeFile(join(blob?.parentPath ?? '', blob?.name ?? ''), 'some bytez')
    const server = await serve(['--dir', dir, '--json', '--scrub', '1GiB', '--scrub-every', '1h'], rootVariables)
    await server.line((line) => line.includes('"scrubbed"'))
    const lines = jsonLines(server.stdout())
    const of = { bucket: 'photos', key: 'a', versionId: 'null' }
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'damage', code: 'BlobCorrupt', seq: 3, of }))
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'scrubbed', events: 3, found: 1 }))
    expect(await varve(['serve', '--scrub', 'slowly', '--dir', dir])).toMatchObject({ status: 2 })
  })

  it('enable a log of requests, without queries or secrets', async () => {
    const server = await serve([next(), '--log-requests'], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    await send(server, { method: 'GET', path: '/photos?prefix=private' })
    const { stderr } = await server.stop()
    expect(stderr).toMatch(/^\S+ 200 PUT \/photos CreateBucket \d+ ms$/m)
    expect(stderr).not.toMatch(/private|root-secret/)
  })
})

describe('a port that is taken', () => {
  async function taken<T>(use: (port: number) => Promise<T>): Promise<T> {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    try {
      return await use((blocker.address() as { port: number }).port)
    } finally {
      blocker.close()
    }
  }

  it('ends the start before anything is made', async () => {
    const dir = next()
    const { status, stdout, stderr } = await taken((port) => varve(['serve', dir, '--port', String(port)]))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('(EADDRINUSE)')
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('leads to the next free one on request', async () => {
    await taken(async (port) => {
      const server = await serve([next(), '--port', String(port), '--next-port'], rootVariables)
      expect(Number(new URL(server.url).port)).toBeGreaterThan(port)
      expect(await health(server)).toBe(200)
    })
  })
})

describe('the first steps', () => {
  it('are lines to paste, with the keys on the first start and never again', async () => {
    const dir = next()
    const first = await serve([dir])
    const { identities } = JSON.parse(await readFile(join(dir, 'root-credentials.json'), 'utf8')) as {
      identities: (typeof root)[]
    }
    const [{ accessKeyId, secretAccessKey } = root] = identities
    await first.line((line) => line.includes(' log --follow --dir '))
    expect(first.stdout()).toContain(`export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}`)
    expect(first.stdout()).toContain(`aws --endpoint-url ${first.url} --region eu s3 mb s3://photos`)
    expect(first.stdout()).toContain(`new S3Client({ endpoint: '${first.url}', region: 'eu', forcePathStyle: true })`)
    expect(first.stdout()).toContain(`  # in a browser\n  ${first.url}/-/console/\n`)
    await first.stop()
    const second = await serve([dir, '--no-console'])
    await second.line((line) => line.includes(' log --follow --dir '))
    expect(second.stdout()).not.toContain('/-/console/')
    expect((await fetch(`${second.url}/`, { headers: { accept: 'text/html' } })).status).toBe(403)
    expect(second.stdout()).toContain(`# keys: ${join(dir, 'root-credentials.json')}`)
    expect(second.stdout()).not.toContain(secretAccessKey)
  })
})

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s closes cleanly and ends with 0', async (signal) => {
    const dir = next()
    const server = await serve([dir], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    expect(await server.stop(signal)).toMatchObject({ status: 0, signal: null })
    // A clean end writes the witness: the log's last position. A bucket begins with two settings here.
    expect(JSON.parse(await readFile(join(dir, 'witness'), 'utf8'))).toMatchObject({ seq: 4 })
  })

  it('lets what is under way finish', async () => {
    const server = await serve([next()], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    const upload = ask(server, { method: 'PUT', path: '/photos/a', length: 10 })
    upload.write('first')
    await delay(200)
    const stopped = server.stop()
    await delay(200)
    await expect(fetch(`${server.url}/-/health`)).rejects.toThrow()
    upload.end('rests')
    expect(await reply(upload)).toMatchObject({ status: 200 })
    expect(await stopped).toMatchObject({ status: 0 })
  })

  it('waits no longer than the grace it was given', async () => {
    const server = await serve([next(), '--grace', '300ms'], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    const upload = ask(server, { method: 'PUT', path: '/photos/a', length: 10 })
    upload.on('error', () => undefined).write('first')
    await delay(200)
    const began = performance.now()
    expect(await server.stop()).toMatchObject({ status: 0 })
    expect(performance.now() - began).toBeLessThan(8000)
  })

  it('a second time ends at once', async () => {
    const server = await serve([next(), '--grace', '1h'], rootVariables)
    await send(server, { method: 'PUT', path: '/photos' })
    const upload = ask(server, { method: 'PUT', path: '/photos/a', length: 10 })
    upload.on('error', () => undefined).write('first')
    await delay(200)
    server.process.kill('SIGTERM')
    await delay(300)
    expect(server.process.exitCode).toBeNull()
    expect(await server.stop('SIGTERM')).toMatchObject({ status: 143 })
  })
})

describe('a store that fails under the server', () => {
  // LevelDB cannot append to its log past the limit; opening again starts a new log file.
  it('is opened again, and nothing acknowledged is lost', async () => {
    const dir = next()
    const server = await serve([dir], rootVariables, 'ulimit -f 1024')
    await send(server, { method: 'PUT', path: '/photos' })
    const body = 'x'.repeat(20_000)
    const acknowledged: string[] = []
    let unavailable = 0
    for (let i = 0; i < 100; i++) {
      const { status } = await send(server, { method: 'PUT', path: `/photos/${i}` }, body)
      if (status === 200) acknowledged.push(String(i))
      else {
        expect(status).toBe(503)
        unavailable++
        await expect.poll(() => health(server), { timeout: 10_000 }).toBe(200)
      }
    }
    expect(unavailable).toBeGreaterThan(0)
    expect(acknowledged.length).toBeGreaterThan(60)
    const { status, stderr } = await server.stop()
    expect(status).toBe(0)
    expect(stderr).toContain('opening the store again')
    await expectKept(dir, acknowledged)
  })

  it('ends the process when it will not open again, with the status of what it found', async () => {
    const dir = next()
    const server = await serve([dir], rootVariables, 'ulimit -f 1024')
    await send(server, { method: 'PUT', path: '/photos' })
    await writeFile(join(dir, 'FORMAT'), 'not what it was')
    const body = 'x'.repeat(20_000)
    const load = async () => {
      for (let i = 0; server.process.exitCode === null; i++) {
        await send(server, { method: 'PUT', path: `/photos/${i}` }, body).catch(() => undefined)
      }
    }
    void load()
    const { status, stderr } = await server.ended
    expect({ status, stderr }).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('(UnsupportedFormat)') as string,
    })
  })
})

describe('an interrupted start', () => {
  it('ends like any other stop', async () => {
    const running = start(['serve', next(), '--port', '0'], rootVariables)
    await delay(400)
    running.process.kill('SIGTERM')
    const { status, signal } = await running.ended
    // Before Node has come to our code, the signal does what it does to every process.
    expect(status === 0 || signal === 'SIGTERM').toBe(true)
  })
})
