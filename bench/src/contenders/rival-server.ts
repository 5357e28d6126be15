/**
 * A rival's server as a worker: it starts for one workload, is measured from outside, and ends with all its processes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { listen } from '@varve/http'
import type { Answers, Job, Order } from '../child/job.ts'
import type { RunningWorker } from './contender.ts'
import { expectStatus, s3Client } from '../http/s3-client.ts'
import { type Meter, startMeter } from '../meter/meter.ts'
import { sessionLedBy } from '../meter/session.ts'
import { bucket } from '../targets/store-target.ts'
import type { RivalServer } from '../rivals/rival.ts'

const readyWithinMs = 60_000
const tryEveryMs = 100
/** How many characters of its output are kept, to report why it ended. */
const outputMax = 2000

/** The rival did not start, or it ended early. */
class RivalFailed extends Error {
  override readonly name = 'RivalFailed'
}

export function rivalServer(rival: RivalServer): RunningWorker {
  let running: { readonly child: ChildProcess; readonly gone: Promise<never> } | undefined
  let meter: Meter | undefined

  const prepare = async ({ directory }: Job): Promise<Answers['prepare']> => {
    const port = await freePort()
    const place = (text: string) => placed(text, { ...rival.credentials, dir: directory, port: String(port) })
    for (const [name, content] of Object.entries(rival.files)) {
      const path = join(directory, place(name))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, place(content))
    }
    running = start(rival, directory, place)
    const url = `http://127.0.0.1:${port}`
    await Promise.race([running.gone, ready(rival, url)])
    return { url }
  }

  const take = async (order: Order): Promise<Answers[Order['do']]> => {
    switch (order.do) {
      case 'prepare':
        return prepare(order.job)
      case 'begin':
        meter = startMeter(sessionLedBy(running?.child.pid ?? 0))
        return null
      case 'end':
        if (meter === undefined) throw new TypeError('Nothing has begun.')
        return meter.stop()
      case 'finish':
        return {}
      default:
        throw new TypeError(`A server does not know how to ${order.do}.`)
    }
  }
  return {
    take: take as RunningWorker['take'],
    async end() {
      meter?.abandon()
      if (running === undefined) return
      killSession(running.child)
      await running.gone.catch(() => undefined)
    },
  }
}

function start(rival: RivalServer, directory: string, place: (text: string) => string) {
  const [program, ...args] = rival.command.map(place) as [string, ...string[]]
  const env = Object.fromEntries(Object.entries(rival.env).map(([name, value]) => [name, place(value)]))
  // In a session of its own, so that all processes it starts can be found and ended.
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-outputMax)))
  }
  const gone = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      reject(new RivalFailed(`${rival.name} ended (${signal ?? code}): ${output.trim()}`))
    })
  })
  gone.catch(() => undefined)
  return { child, gone }
}

/** Creates the bucket with a signed request: the response comes from this server, not an earlier user of the port. */
async function ready({ name, credentials }: RivalServer, url: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs
  for (;;) {
    try {
      const client = await s3Client(url, credentials, 1)
      try {
        return void expectStatus(await client.ask({ method: 'PUT', path: `/${bucket}` }), 200)
      } finally {
        client.close()
      }
    } catch (error) {
      if (performance.now() > deadline) {
        throw new RivalFailed(`${name} is not ready after ${readyWithinMs / 1000} s: ${(error as Error).message}`)
      }
      await delay(tryEveryMs)
    }
  }
}

function killSession({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}

const placed = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, '127.0.0.1', 0)
  server.close()
  await once(server, 'close')
  return port
}
