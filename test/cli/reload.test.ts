/** `SIGHUP` to a server with a configuration file: it goes on, with what can change in it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
