/** `varve serve --audit-log`: a line for each refusal and each action of the control API, as docs/audit-line.schema.json describes it. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { signRequest } from 'varve/http'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const root = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }

async function sent({ url }: Server, path: string, keys = root, method = 'GET'): Promise<number> {
  const headers = [['host', new URL(url).host]] as const
  const how = { ...keys, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
  const signed = signRequest({ method, rawPath: path, headers }, how)
  const own = Object.fromEntries(signed.headers.filter(([name]) => name !== 'host'))
  const answer = await fetch(url + path, { method, headers: { ...own, connection: 'close' } })
  await answer.arrayBuffer()
  return answer.status
}

interface Schema {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly enum?: readonly string[] }>>
}

const schemaFile = fileURLToPath(new URL('../../docs/audit-line.schema.json', import.meta.url))

function problemsOf(line: Readonly<Record<string, unknown>>, { required, properties }: Schema): readonly string[] {
  const wrong = Object.entries(line).filter(([name, value]) => {
    const { type, enum: words } = properties[name] ?? {}
    if (words !== undefined) return !words.includes(String(value))
    return type === 'integer' ? !Number.isInteger(value) : typeof value !== type
  })
  return [...required.filter((name) => !(name in line)), ...wrong.map(([name]) => name)]
}

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('varve serve --audit-log with %s', (_, workers) => {
  it('has each refusal and each action of the control API, and nothing else', async () => {
    const [dir, log] = [next(), next()]
    const server = await serve([dir, '--audit-log', log, ...workers], variables)
    expect(await sent(server, '/photos', root, 'PUT')).toBe(200)
    expect(await sent(server, '/photos/missing')).toBe(404)
    expect((await fetch(`${server.url}/photos/anonymous`)).status).toBe(403)
    expect(await sent(server, '/photos/forged', { ...root, secretAccessKey: 'wrong-secret' })).toBe(403)
    expect(await sent(server, '/photos/unknown', { ...root, accessKeyId: 'no-such-key' })).toBe(403)
    expect(await sent(server, '/-/v1/status')).toBe(200)
    expect(await varve(['mb', 's3://films', '--dir', dir])).toMatchObject({ status: 0 })
    await server.stop()
    const lines = jsonLines(await readFile(log, 'utf8'))
    const http = lines.filter(({ via }) => via === 'http')
    // Lines of several workers come in any order.
    const line = (found: string) => http.find(({ key, kind }) => (key ?? kind) === found)
    expect(http).toHaveLength(4)
    expect(line('anonymous')).toMatchObject({ level: 'warn', kind: 'refusal', operation: 'GetObject', status: 403 })
    const forged = { kind: 'refusal', bucket: 'photos', claimedAccessKeyId: 'root-key' }
    expect(line('forged')).toMatchObject({ ...forged, errorCode: 'SignatureDoesNotMatch' })
    expect(line('unknown')).toMatchObject({ errorCode: 'InvalidAccessKeyId', claimedAccessKeyId: 'no-such-key' })
    expect(line('control')).toMatchObject({ level: 'info', accessKeyId: 'root-key', status: 200 })
    expect(lines.filter(({ via, bucket }) => via === 'socket' && bucket === 'films')).toMatchObject([
      { level: 'info', kind: 'control', identity: 'root', status: 200 },
    ])
    const schema = JSON.parse(await readFile(schemaFile, 'utf8')) as Schema
    expect(lines.flatMap((line) => problemsOf(line, schema))).toEqual([])
    expect(JSON.stringify(lines)).not.toContain('secret')
  })
})
