/** `varve serve --tls-cert --tls-key`: HTTPS, and certificates that are replaced while it serves. */
import { once } from 'node:events'
import { rename, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { certificateOf, type Pair } from './certificate.ts'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

interface Files {
  readonly args: readonly string[]
  /** As certbot does: a new file takes the name of the old one. */
  replace(pair: Partial<Pair>): Promise<void>
}

async function filesWith(pair: Pair): Promise<Files> {
  const [cert, key] = [next(), next()]
  const put = async (path: string, text: string | undefined) => {
    if (text === undefined) return
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  const replace = async (pair: Partial<Pair>) => {
    await put(cert, pair.cert)
    await put(key, pair.key)
  }
  await replace(pair)
  return { args: ['--tls-cert', cert, '--tls-key', key, '--json'], replace }
}

/** The name in the certificate that a new connection is shown. */
async function nameShown({ url }: Pick<Server, 'url'>): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  const socket: TLSSocket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

async function health({ url }: Pick<Server, 'url'>, agent: Agent): Promise<number> {
  const sent = request(`${url}/-/health`, { agent })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}

const [first, second] = [certificateOf('first'), certificateOf('second')]
const kinds = (server: Server) => jsonLines(server.stdout()).map(({ kind }) => kind)

describe.each([
  ['in one process', []],
  ['with workers', ['--workers', '2']],
])('varve serve with a certificate, %s', (_, workers) => {
  it('serves HTTPS to a client that knows the authority', async () => {
    const { args } = await filesWith(first)
    const server = await serve([next(), ...args, ...workers])
    expect(server.url).toMatch(/^https:/)
    expect(await health(server, new Agent({ ca: first.cert }))).toBe(200)
    await expect(health(server, new Agent({ ca: second.cert }))).rejects.toThrow(/self.signed|certificate/i)
  })

  it('uses a certificate that replaces it, while every request of clients goes on', async () => {
    const { args, replace } = await filesWith(first)
    const server = await serve([next(), ...args, ...workers])
    const agent = new Agent({ ca: [first.cert, second.cert], keepAlive: true, maxSockets: 4 })
    const statuses: number[] = []
    let isOver = false
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) statuses.push(await health(server, agent))
    })
    await delay(100)
    await replace(second)
    await expect.poll(() => nameShown(server), { timeout: 20_000 }).toBe('second')
    await delay(100)
    isOver = true
    await Promise.all(load)
    agent.destroy()
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(kinds(server)).toContain('certificate')
  })

  it('keeps what it has when a new one does not fit its key, until it does', async () => {
    const { args, replace } = await filesWith(first)
    const server = await serve([next(), ...args, ...workers])
    await replace({ cert: second.cert })
    await expect.poll(() => kinds(server), { timeout: 20_000 }).toContain('certificate-unusable')
    expect(await nameShown(server)).toBe('first')
    await replace({ key: second.key })
    await expect.poll(() => nameShown(server), { timeout: 20_000 }).toBe('second')
    expect(kinds(server).filter((kind) => kind === 'certificate-unusable')).toHaveLength(1)
  })
})

describe('varve serve', () => {
  it('makes no store when its certificate cannot be used', async () => {
    const { args } = await filesWith({ ...first, key: second.key })
    const dir = next()
    const unfit = await varve(['serve', dir, ...args])
    expect(unfit).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not a certificate and its key') as string,
    })
    const missing = await varve(['serve', dir, '--tls-cert', next(), '--tls-key', next()])
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be read') as string })
    const half = await varve(['serve', dir, '--tls-cert', 'cert.pem'])
    expect(half).toMatchObject({ status: 2, stderr: expect.stringContaining('need each other') as string })
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
