/** `SIGHUP` to a server with a configuration file: it goes on, with what can change in it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const [oldToken, newToken] = ['an-old-token-of-some-length', 'a-new-token-of-some-length']

async function started(workers: readonly string[]) {
  const folder = next()
  await mkdir(folder)
  const file = join(folder, 'varve.toml')
  const write = (more: string) => writeFile(file, `dir = "data"\njson = true\nmetrics-token-file = "token"\n${more}\n`)
  await writeFile(join(folder, 'token'), oldToken)
  await write('')
  const server = await serve(['--config', file, ...workers])
  return { server, write, replaceToken: () => writeFile(join(folder, 'token'), newToken) }
}

const linesOf = (server: Server, kind: string) => jsonLines(server.stdout()).filter((line) => line['kind'] === kind)

const metricsStatus = async ({ url }: Server, token: string) =>
  (await fetch(`${url}/-/metrics`, { headers: { authorization: `Bearer ${token}`, connection: 'close' } })).status

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('a hangup of a server with %s', (_, workers) => {
  it('changes the token of its metrics and its log, and names what needs a restart', async () => {
    const { server, write, replaceToken } = await started(workers)
    expect(await metricsStatus(server, oldToken)).toBe(200)
    expect(linesOf(server, 'request')).toEqual([])
    await replaceToken()
    await write('log-requests = true\nregion = "mars-1"')
    server.process.kill('SIGHUP')
    await expect
      .poll(() => linesOf(server, 'reloaded'), { timeout: 20_000 })
      .toEqual([{ kind: 'reloaded', needRestart: ['region'] }])
    await expect.poll(() => metricsStatus(server, newToken), { timeout: 20_000 }).toBe(200)
    expect(await metricsStatus(server, oldToken)).toBe(401)
    await expect.poll(() => linesOf(server, 'request').length, { timeout: 20_000 }).toBeGreaterThan(0)
  })
})

const identity = (name: string, more = {}) => ({
  name,
  accessKeyId: `KEY-OF-${name.toUpperCase()}`,
  secretAccessKey: `the-secret-of-${name}`,
  ...more,
})

const sessionOf = ({ url }: Server, name: string) => {
  const { accessKeyId, secretAccessKey } = identity(name)
  const credentials = { accessKeyId, secretAccessKey }
  return new S3Client({ endpoint: url, region: 'eu', forcePathStyle: true, credentials, maxAttempts: 1 })
}

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('a hangup of a server with %s and a file of identities', (_, workers) => {
  it('lets in those that the file has now, and no others', async () => {
    const folder = next()
    await mkdir(folder)
    const file = join(folder, 'varve.toml')
    const identities = (names: readonly string[]) =>
      writeFile(
        join(folder, 'identities.json'),
        JSON.stringify({ identities: [identity('root', { root: true }), ...names.map((name) => identity(name))] }),
        { mode: 0o600 },
      )
    await writeFile(file, 'dir = "data"\njson = true\nidentities = "identities.json"\n')
    await identities(['alice'])
    const server = await serve(['--config', file, ...workers])
    const codeOf = (name: string) =>
      sessionOf(server, name)
        .send(new ListBucketsCommand({}))
        .then(
          () => 'OK',
          (error: Error) => error.name,
        )
    expect([await codeOf('root'), await codeOf('alice'), await codeOf('bob')]).toEqual([
      'OK',
      'OK',
      'InvalidAccessKeyId',
    ])
    await identities(['bob'])
    server.process.kill('SIGHUP')
    await expect
      .poll(() => linesOf(server, 'reloaded'), { timeout: 20_000 })
      .toEqual([{ kind: 'reloaded', needRestart: [] }])
    await expect.poll(() => codeOf('bob'), { timeout: 20_000 }).toBe('OK')
    await expect.poll(() => codeOf('alice'), { timeout: 20_000 }).toBe('InvalidAccessKeyId')
    await writeFile(join(folder, 'identities.json'), '{"identities": [')
    server.process.kill('SIGHUP')
    await expect.poll(() => linesOf(server, 'reload-refused').length, { timeout: 20_000 }).toBe(1)
    expect([await codeOf('root'), await codeOf('bob')]).toEqual(['OK', 'OK'])
  })
})

describe('a hangup', () => {
  it('with a mistake in the file changes nothing, and shows the mistake', async () => {
    const { server, write } = await started([])
    await write('port = "x"')
    server.process.kill('SIGHUP')
    await expect
      .poll(() => linesOf(server, 'reload-refused'), { timeout: 20_000 })
      .toEqual([{ kind: 'reload-refused', message: expect.stringContaining(':4:1: port must be') as string }])
    await write('')
    server.process.kill('SIGHUP')
    await expect.poll(() => linesOf(server, 'reloaded'), { timeout: 20_000 }).toHaveLength(1)
    expect(await metricsStatus(server, oldToken)).toBe(200)
    expect((await server.stop()).status).toBe(0)
  })
})
