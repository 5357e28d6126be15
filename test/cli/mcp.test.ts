/** `varve mcp` as clients start it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { openStore } from 'varve'
import { afterEach, describe, expect, it } from 'vitest'
import { binary, endServersAfterEach, jsonLines, scratchPaths, serve, start, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const clients: Client[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

type Facts = Readonly<Record<string, string>>

/** Calls a tool, and gives the facts that it answers. */
async function call(client: Client, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Facts> {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const [first] = content as readonly { readonly text: string }[]
  if (isError === true) throw new Error(first?.text)
  return JSON.parse(first?.text ?? '') as Facts
}

async function confirmed(client: Client, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Facts> {
  return call(client, name, { ...args, confirm: (await call(client, name, args))['confirm'] })
}

async function textOf(dir: string, key: string): Promise<string> {
  const store = await openStore(dir)
  const text = await (await store.objects.get('workspace', key)).text()
  await store.close()
  return text
}

async function connect(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
  })
  const client = new Client({ name: 'Agent', version: '1.0.0' })
  clients.push(client)
  await client.connect(transport)
  return { client, transport, actor: (await call(client, 'status'))['actor'] ?? '' }
}

describe('a session in a fork', () => {
  it('is undone by one command beside it, and its base is never changed', async () => {
    const dir = next()
    const made = await openStore(dir)
    await made.buckets.create('workspace', { versioning: 'Enabled' })
    await made.objects.put('workspace', 'a', 'of the base')
    await made.close()
    const { client, actor } = await connect([dir, '--fork'])
    const { bucket: fork = '', from = '' } = await call(client, 'status')
    await call(client, 'write', { key: 'b', text: 'new' })
    await confirmed(client, 'delete', { key: 'a' })
    const diff = await varve(['diff', `s3://${fork}`, '--from', String(from), '--json', '--dir', dir])
    expect(jsonLines(diff.stdout)).toMatchObject([
      { kind: 'removed', key: 'a' },
      { kind: 'added', key: 'b' },
    ])
    // The command uses the store that the session has open.
    expect((await varve(['cat', 's3://workspace/a', '--dir', dir])).stdout).toBe('of the base')
    expect(await varve(['undo', '--by', actor, '--yes', '--dir', dir])).toMatchObject({ status: 0 })
    expect(await call(client, 'diff')).toMatchObject({ entries: [] })
  })
})

describe('varve mcp', () => {
  it('ends when its client is killed, and keeps what was done', async () => {
    const dir = next()
    const child = spawn(process.execPath, [binary, 'mcp', dir], { stdio: ['pipe', 'pipe', 'pipe'] })
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const write = { name: 'write', arguments: { key: 'a', text: 'kept' } }
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: write },
    ]
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    while (!text.includes('"id":2')) await once(child.stdout, 'data')
    // In the middle of a message.
    child.stdin.end('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write"')
    const [status] = await once(child, 'close')
    expect(status).toBe(0)
    // Every line of the output is a message.
    expect(jsonLines(text).every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
    expect(await textOf(dir, 'a')).toBe('kept')
  })

  it('uses the store that another process has open, and that of a server, as an actor of its own', async () => {
    const dir = next()
    const keys = { VARVE_ACCESS_KEY_ID: 'MCPTESTKEY', VARVE_SECRET_ACCESS_KEY: 'secret-of-the-mcp-test-0123456789' }
    const server = await serve(['--dir', dir], keys)
    const attached = await connect([dir])
    await call(attached.client, 'write', { key: 'a', text: 'one' })
    const remote = await connect([server.url], keys)
    await call(remote.client, 'write', { key: 'a', text: 'two' })
    await call(remote.client, 'move', { from: 'a', to: 'b' })
    expect(await call(remote.client, 'history', { key: 'a' })).toMatchObject({
      entries: [{ by: attached.actor }, { by: remote.actor }, { by: remote.actor }],
    })
    await confirmed(remote.client, 'undo')
    expect(await call(attached.client, 'list')).toMatchObject({ entries: [{ key: 'a', size: 3 }] })
    expect(await call(attached.client, 'history', { key: 'b' })).toMatchObject({
      entries: [{ event: 'VersionAdded' }, { event: 'VersionRemoved' }],
    })
    await server.stop()
  })

  it('serves HTTP to clients with its token', async () => {
    const running = start(['mcp', next(), '--http', '--port', '0', '--json'])
    const ready = jsonLines(await running.line((line) => line.includes('"ready"')))[0] as unknown as Facts
    const client = new Client({ name: 'Http', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${ready['token']}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(ready['url'] ?? ''), { requestInit }) as Transport)
    expect(await call(client, 'write', { key: 'a', text: 'x' })).toMatchObject({ size: 1 })
    running.process.kill('SIGTERM')
    expect((await running.ended).status).toBe(0)
  })
})
