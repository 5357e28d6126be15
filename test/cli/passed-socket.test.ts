/** Socket activation: the starter listens, and passes its socket as descriptor 3, as systemd does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { binary, scratchPaths } from './run-varve.ts'

const next = scratchPaths()
const ending: (() => void)[] = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

/** A shell sets LISTEN_PID to its own id, and becomes the command. */
const asActivated = 'LISTEN_PID=$$ exec "$0" "$@"'

async function listening(at: { readonly port: number; readonly host: string } | { readonly path: string }) {
  const server = createServer()
  server.listen(at)
  await once(server, 'listening')
  ending.push(() => server.close())
  return server
}

function activated(server: Server, args: readonly string[] = [], count = '1') {
  const env = { ...process.env, LISTEN_FDS: count, LISTEN_FDNAMES: 'varve.socket' }
  const command = ['-c', asActivated, process.execPath, binary, 'serve', next(), '--json', '--port', '1', ...args]
  const { _handle: handle } = server as unknown as { readonly _handle: { readonly fd: number } }
  const child = spawn('/bin/sh', command, { env, stdio: ['ignore', 'pipe', 'pipe', handle.fd] })
  ending.push(() => child.kill('SIGKILL'))
  return child
}

async function outputOf({ stdout, stderr }: ChildProcess, wanted: RegExp): Promise<string> {
  let text = ''
  for (const stream of [stdout, stderr]) stream?.on('data', (data: Buffer) => (text += data.toString()))
  await expect.poll(() => text, { timeout: 30_000 }).toMatch(wanted)
  return text
}

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('a server with a passed socket and %s', (_, workers) => {
  it('serves the address of the socket, also what connected before it was ready', async () => {
    const socket = await listening({ host: '127.0.0.1', port: 0 })
    const { port } = socket.address() as AddressInfo
    const child = activated(socket, workers)
    // From here on only the child accepts.
    socket.close()
    const early = fetch(`http://127.0.0.1:${port}/-/health`)
    expect(await outputOf(child, /"kind":"ready"/)).toContain(`"url":"http://127.0.0.1:${port}"`)
    expect((await early).status).toBe(200)
    child.kill('SIGTERM')
    const [status] = (await once(child, 'exit')) as [number]
    expect(status).toBe(0)
  })
})

describe('a server', () => {
  it.each([
    ['several sockets', '2', { host: '127.0.0.1', port: 0 }, /passed 2 sockets/],
    ['a Unix socket', '1', { path: `${next()}.sock` }, /no TCP socket/],
  ])('refuses %s', async (_, count, at, message) => {
    const child = activated(await listening(at), [], count)
    expect(await outputOf(child, message)).toMatch(/UsageError|InvalidArgument/)
  })
})
