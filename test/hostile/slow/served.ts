/** The server process as a test holds it, and what it is like to be its client. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServeOptions } from 'varve/http'
import { call } from '../../acceptance/support/call.ts'
import { credentialsOf, type TestServer } from '../../acceptance/support/test-server.ts'
import type { Usage } from './server-process.ts'

export interface Served extends TestServer {
  /** `swept`: once garbage was collected, which takes the server a moment. */
  usage(when?: 'swept'): Promise<Usage>
}

const program = fileURLToPath(new URL('../../dist/hostile/slow/server-process.js', import.meta.url))

export async function served(options: Partial<ServeOptions> = {}): Promise<Served> {
  const scratch = await mkdtemp(join(tmpdir(), 'varve-slow-'))
  const dir = join(scratch, 'store')
  const child = spawn(process.execPath, ['--expose-gc', program, dir, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const heard = async <T>(): Promise<T> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The server has ended.')
    return JSON.parse(value) as T
  }
  const { port } = await heard<{ port: number }>()
  return {
    port,
    host: `127.0.0.1:${port}`,
    dir,
    credentials: credentialsOf,
    usage(when) {
      child.stdin.write(`${when ?? ''}\n`)
      return heard<Usage>()
    },
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(timer)
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

/** How long requests take, in milliseconds, for a client that sends one after another for `ms`. */
export async function latencies(
  server: Served,
  line: string,
  ms: number,
): Promise<{ p50: number; p99: number; count: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const took: number[] = []
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const began = performance.now()
    const { status } = await call(server, line, { agent })
    if (status !== 200) throw new Error(`A healthy request was answered ${status}.`)
    took.push(performance.now() - began)
  }
  agent.destroy()
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor((took.length - 1) * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99), count: took.length }
}

/** Milliseconds until it is so. @throws Error when it is not within `ms` */
export async function until(holds: () => Promise<boolean> | boolean, ms: number): Promise<number> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > ms) throw new Error(`It is not so after ${ms} ms.`)
    await delay(50)
  }
  return performance.now() - began
}

/** Waits until the server has nothing to do: what filled the buffers of others is over then. */
export async function settled(server: Served, ms: number): Promise<void> {
  let busy = (await server.usage()).busyMs
  await until(async () => {
    const began = performance.now()
    await delay(200)
    const { busyMs, fileRequests } = await server.usage()
    const isIdle = busyMs - busy < (performance.now() - began) / 2 && fileRequests === 0
    busy = busyMs
    return isIdle
  }, ms)
}
