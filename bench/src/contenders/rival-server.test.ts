import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { benchCredentials } from '../basics/credentials.ts'
import { overHttp } from '../workloads/over-http.ts'
import type { Workload } from '../workloads/workload.ts'
import type { RivalServer } from '../rivals/rival.ts'
import { rivalServer } from './rival-server.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-rival-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const program = (script: string, more: Partial<RivalServer> = {}): RivalServer => ({
  kind: 'server',
  name: 'one',
  about: '',
  lacks: {},
  command: [process.execPath, '-e', script, '{port}', '{dir}'],
  env: {},
  files: {},
  credentials: benchCredentials,
  ...more,
})

const job = () => ({ role: 'serve', contender: 'one', workload: overHttp[0] as Workload, directory, seed: 1 }) as const

/** Answers 200 to whatever comes. */
const willing = `require('node:http').createServer((_, response) => response.end()).listen(process.argv[1], '127.0.0.1')`

if (process.platform !== 'linux') console.log('Skipped: what a program uses is told by /proc, which is not here.')

describe.skipIf(process.platform !== 'linux')('the server of a rival', () => {
  it('finds its files and its environment, with everything in its place', async () => {
    const rival = program(willing, {
      files: { 'etc/{region}.conf': 'port {port}, key {accessKeyId}, {unknown}' },
      env: { WHERE: '{dir}' },
    })
    const server = rivalServer(rival)
    const { url } = await server.take({ do: 'prepare', job: job() })
    const written = await readFile(join(directory, 'etc/us-east-1.conf'), 'utf8')
    expect(written).toBe(`port ${new URL(url ?? '').port}, key VARVEBENCH, {unknown}`)
    expect((await fetch(url ?? '')).status).toBe(200)
    await server.end()
    await expect(fetch(url ?? '')).rejects.toThrow()
  })

  it('is measured with all it has started, and ended with them', async () => {
    const parent = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', 'for (;;);'])
      require('node:fs').writeFileSync(process.argv[2] + '/child', String(child.pid))
      ${willing}`
    const server = rivalServer(program(parent))
    await server.take({ do: 'prepare', job: job() })
    const used = async () => {
      await server.take({ do: 'begin' })
      await new Promise((resolve) => setTimeout(resolve, 200))
      return server.take({ do: 'end' })
    }
    // The server itself has nothing to do; how soon its child gets going depends on the machine.
    await expect.poll(async () => (await used()).cpuMicros, { timeout: 30_000 }).toBeGreaterThan(50_000)
    expect((await used()).peakMemory).toBeGreaterThan(10 * 2 ** 20)
    const child = Number(await readFile(join(directory, 'child'), 'utf8'))
    await server.end()
    await expect.poll(() => isAlive(child), { timeout: 30_000 }).toBe(false)
  }, 90_000)

  it('is measured no more when it is ended in the middle of a round', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const server = rivalServer(program(willing))
    await server.take({ do: 'prepare', job: job() })
    const before = timers()
    await server.take({ do: 'begin' })
    expect(timers()).toBe(before + 1)
    await server.end()
    expect(timers()).toBeLessThanOrEqual(before)
  })

  it('reports why it ended', async () => {
    const server = rivalServer(program(`console.error('no licence'); process.exit(3)`))
    await expect(server.take({ do: 'prepare', job: job() })).rejects.toThrow('one ended (3): no licence')
    await server.end()
  })

  it('is not there when its program is not', async () => {
    const server = rivalServer(program('', { command: ['no-such-program'] }))
    await expect(server.take({ do: 'prepare', job: job() })).rejects.toThrow('ENOENT')
    await server.end()
  })
})

/** One that was ended may wait to be buried. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
