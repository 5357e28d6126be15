/** `varve serve --request-log`: one line for each request, however many processes the server has. */
import { mkdir, readFile, rename } from 'node:fs/promises'
import { signRequest } from 'varve/http'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const root = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }
const secret = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA='

/** A PUT with a key of the client, which no log may contain. */
async function put({ url }: Server, path: string): Promise<number> {
  const headers = [
    ['host', new URL(url).host],
    ['x-amz-server-side-encryption-customer-key', secret],
    ['x-amz-security-token', 'session-secret'],
  ] as const
  const how = { ...root, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
  const signed = signRequest({ method: 'PUT', rawPath: path, headers }, how)
  const sent = Object.fromEntries(signed.headers.filter(([name]) => name !== 'host'))
  const { status } = await fetch(url + path, { method: 'PUT', headers: { ...sent, connection: 'close' } })
  return status
}

const linesOf = async (path: string) => jsonLines(await readFile(path, 'utf8'))

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('varve serve --request-log with %s', (_, workers) => {
  it('writes one whole line for each request, without secrets', async () => {
    const log = next()
    const server = await serve([next(), '--request-log', log, ...workers], variables)
    await Promise.all(Array.from({ length: 20 }, (_, at) => put(server, `/photos/${at}%0A`)))
    await fetch(`${server.url}/photos/0?X-Amz-Signature=signature-secret`)
    await server.stop()
    const text = await readFile(log, 'utf8')
    expect(text).not.toMatch(/secret|q83vEjRW/)
    const lines = await linesOf(log)
    expect(lines).toHaveLength(21)
    const keys = lines.filter(({ method }) => method === 'PUT').map(({ key }) => key)
    expect(new Set(keys)).toEqual(new Set(Array.from({ length: 20 }, (_, at) => `${at}\n`)))
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(21)
  })

  it('goes on in a new file when the old one was moved and the signal comes', async () => {
    const log = next()
    const server = await serve([next(), '--request-log', log, '--request-log-level', 'warn', ...workers], variables)
    await fetch(`${server.url}/photos/1`)
    await fetch(`${server.url}/-/health`)
    await expect.poll(async () => (await linesOf(log)).map(({ key }) => key)).toEqual(['1'])
    await rename(log, `${log}.1`)
    server.process.kill('SIGUSR2')
    await expect.poll(() => readFile(log, 'utf8').catch(() => 'none')).toBe('')
    await fetch(`${server.url}/photos/2`)
    await server.stop()
    expect((await linesOf(log)).map(({ key }) => key)).toEqual(['2'])
    expect(await linesOf(`${log}.1`)).toHaveLength(1)
  })
})

describe('varve serve', () => {
  it('writes the log to standard output', async () => {
    const server = await serve([next(), '--json', '--request-log', '-'])
    await fetch(`${server.url}/photos/1`)
    const line = JSON.parse(await server.line((text) => text.includes('"requestId"'))) as object
    expect(line).toMatchObject({ level: 'warn', bucket: 'photos', key: '1', status: 404 })
  })

  it('makes no store when the log cannot be written', async () => {
    const [log, store] = [next(), next()]
    await mkdir(log)
    expect(await varve(['serve', store, '--request-log', log])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot be written') as string,
    })
    await expect(readFile(store)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
