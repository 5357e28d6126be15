import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noon, signedHeaders } from '../signed-request.fixture.ts'
import { rawClient, requestHead } from '../raw-client.fixture.ts'
import { testServer } from '../test-server.fixture.ts'

const script = `export const text = '${'long enough to be compressed '.repeat(40)}'\n`
const index = '<!doctype html><title>Console</title><script type="module" src="./assets/index-1a2b3c4d.js"></script>\n'

const noBuckets = { buckets: { async *list() {} } }

let dir: string
let server: Awaited<ReturnType<typeof testServer>> | undefined

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'console-'))
})

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
  await rm(dir, { recursive: true })
})

async function build(): Promise<void> {
  await mkdir(join(dir, 'assets'))
  await writeFile(join(dir, 'assets/index-1a2b3c4d.js'), script)
  await writeFile(join(dir, 'assets/logo.png'), new Uint8Array([1, 2, 3]))
  await writeFile(join(dir, 'index.html'), index)
}

async function start(console: string | undefined = dir) {
  server = await testServer(noBuckets, { ...(console !== undefined && { console }), hostSuffixes: ['localhost'] })
  return server
}

/** The answer as it goes over the wire: `fetch` would decompress it and follow it. */
async function sent(method: string, path: string, headers: Readonly<Record<string, string>> = {}, host = 'server') {
  const client = await rawClient(server?.port ?? 0)
  client.send(requestHead(method, path, ['host', host, 'connection', 'close', ...Object.entries(headers).flat()]))
  const text = await client.closed()
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...rest] = text.slice(0, end).split('\r\n')
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(
      rest.map((header) => {
        const [name = '', value = ''] = header.split(/: (.*)/s, 2)
        return [name.toLowerCase(), value]
      }),
    ),
    body: Buffer.from(text.slice(end + 4), 'latin1'),
  }
}

describe('the console', () => {
  it('answers its page, which is checked anew each time, and its assets, which never change', async () => {
    await build()
    await start()
    const page = await sent('GET', '/-/console/')
    expect(page.status).toBe(200)
    expect(page.body.toString()).toBe(index)
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    expect(await sent('GET', '/-/console/index.html?any=query')).toMatchObject({ status: 200 })
    expect(await sent('GET', '/-/console/', { 'if-none-match': page.headers['etag'] ?? '' })).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
    })
    const asset = await sent('GET', '/-/console/assets/index-1a2b3c4d.js')
    expect(asset.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await sent('HEAD', '/-/console/assets/logo.png')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', 'content-length': '3' },
      body: Buffer.alloc(0),
    })
  })

  it('sends text compressed to those who take it, each form with an ETag of its own', async () => {
    await build()
    await start()
    const path = '/-/console/assets/index-1a2b3c4d.js'
    const plain = await sent('GET', path, { 'accept-encoding': 'br;q=0, identity' })
    const gzip = await sent('GET', path, { 'accept-encoding': 'gzip, deflate' })
    const brotli = await sent('GET', path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body.toString()).toBe(script)
    expect(gunzipSync(gzip.body).toString()).toBe(script)
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(brotliDecompressSync(brotli.body).toString()).toBe(script)
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', 'content-length': String(brotli.body.length) })
    expect(new Set([plain, gzip, brotli].map(({ headers }) => headers['etag'])).size).toBe(3)
  })

  it('runs nothing but its own files, talks to its own server, and stays out of frames', async () => {
    await build()
    await start()
    for (const path of ['/-/console/', '/-/console/assets/logo.png', '/-/console/not-there']) {
      const { headers } = await sent('GET', path)
      const policy = headers['content-security-policy'] ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
      expect(policy).toContain("connect-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
    }
  })

  it('is nothing but the files below its directory', async () => {
    await build()
    await writeFile(join(dir, '..', 'console-secret'), 'secret')
    await symlink('/etc/passwd', join(dir, 'assets', 'link'))
    await start()
    const paths = [
      '/-/console/../../etc/passwd',
      '/-/console/..%2f..%2fetc%2fpasswd',
      '/-/console/%2e%2e/console-secret',
      '/-/console/../console-secret',
      '/-/console//etc/passwd',
      '/-/console/assets',
      '/-/console/assets/',
      '/-/console/assets/link',
      '/-/console/assets\\logo.png',
      '/-/console/constructor',
      '/-/console/index.html%00',
    ]
    for (const path of paths) expect(await sent('GET', path), path).toMatchObject({ status: 404 })
    await rm(join(dir, '..', 'console-secret'))
  })

  it('is only read', async () => {
    await build()
    await start()
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const refused = await sent(method, '/-/console/', { 'content-length': '0' })
      expect(refused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    }
  })

  it('is not there before it is built', async () => {
    await start(join(dir, 'dist'))
    const missing = await sent('GET', '/-/console/')
    expect(missing.status).toBe(404)
    expect(missing.body.toString()).toContain('not built')
    dir = join(dir, 'dist')
    await mkdir(dir)
    await build()
    expect(await sent('GET', '/-/console/')).toMatchObject({ status: 200 })
    dir = join(dir, '..')
  })

  it('refuses a directory that is something else: no server reads a whole disk', async () => {
    await build()
    for (let i = 0; i < 1000; i++) await writeFile(join(dir, `${i}.txt`), '')
    const { log } = await start()
    expect(await sent('GET', '/-/console/')).toMatchObject({ status: 500 })
    expect(String(log[0]?.error)).toContain('more than 1000 files')
  })

  it('is a key on the host of a bucket', async () => {
    await build()
    await start()
    expect(await sent('GET', '/-/console/', {}, 'photos.localhost')).not.toMatchObject({ status: 200 })
    expect(await sent('GET', '/', { accept: 'text/html' }, 'photos.localhost')).not.toMatchObject({ status: 302 })
  })

  it('is not there unless the server has one', async () => {
    server = await testServer(noBuckets)
    expect(await sent('GET', '/-/console/')).not.toMatchObject({ status: 200 })
    expect(await sent('GET', '/', { accept: 'text/html' })).toMatchObject({ status: 403 })
  })
})

describe('the address of the server', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

  it('leads a browser to the console, by a path that a prefix in front of it does not break', async () => {
    await start()
    expect(await sent('GET', '/', browser)).toMatchObject({ status: 302, headers: { location: './-/console/' } })
    expect(await sent('GET', '/-/console')).toMatchObject({ status: 302, headers: { location: 'console/' } })
  })

  it('answers S3 clients as ever', async () => {
    await start()
    expect(await sent('GET', '/')).toMatchObject({ status: 403 })
    expect(await sent('GET', '/', { accept: '*/*' })).toMatchObject({ status: 403 })
    expect(await sent('GET', '/?X-Amz-Signature=0', browser)).not.toMatchObject({ status: 302 })
    expect(await sent('POST', '/', { ...browser, 'content-length': '0' })).not.toMatchObject({ status: 302 })
    const signed = signedHeaders('GET', '/', { host: 'server', now: noon })
    const pairs = Array.from({ length: signed.length / 2 }, (_, i) => [signed[2 * i], signed[2 * i + 1]])
    const { host: _, ...headers } = Object.fromEntries(pairs) as Record<string, string>
    expect(await sent('GET', '/', { ...browser, ...headers })).toMatchObject({ status: 200 })
  })
})
