/** What was answered is in force in every worker: no request that begins after the answer is decided by what was before. */
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { attachStore } from 'varve'
import { narrowed, narrowings, statusesOf } from '#varve/identities/narrowed-rights.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scratchPaths, serve, type Server } from './run-varve.ts'

const next = scratchPaths()
const root = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }
const onLinux = it.skipIf(process.platform !== 'linux')

let dir: string
let server: Server
let agent: Agent

beforeAll(async () => {
  dir = next()
  server = await serve(['--dir', dir, '--workers', '2'], variables)
  agent = new Agent({ keepAlive: true })
})

afterAll(async () => {
  agent.destroy()
  await server.stop()
})

const workers = (): readonly number[] =>
  readFileSync(`/proc/${server.process.pid}/task/${server.process.pid}/children`, 'utf8').trim().split(' ').map(Number)

describe('a server with two workers', () => {
  it.each(narrowings)('refuses all requests after the answer to %s', async (name) => {
    const one = await narrowed({ url: server.url, root }, name)
    expect(await statusesOf(one, agent)).toEqual([200])
    expect((await one.narrow()).status).toBeLessThan(300)
    expect(await statusesOf(one, agent)).toEqual(['refused'])
  })

  onLinux('answers only when a worker that stands still has been ended', async () => {
    const { identities, close } = await attachStore(dir)
    const [still] = workers()
    process.kill(still as number, 'SIGSTOP')
    await identities.create('late')
    expect(workers()).not.toContain(still)
    await identities.remove('late')
    await close()
  })
})
