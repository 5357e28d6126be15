/**
 * SIGKILL of a worker in the middle of load, again and again: the server goes on, everything acknowledged is there, and
 * nothing of what was not lies about. VARVE_WORKER_KILLS sets how often (`npm run suite kill`: 100).
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { openStore } from 'varve'
import { call } from '../acceptance/support/call.ts'
import { startWorkers, type WorkersServer } from '../acceptance/support/workers.ts'

const kills = Number(process.env['VARVE_WORKER_KILLS'] ?? 3)
/** A worker that dies young is replaced late: many kills wait until all are old enough to be replaced at once. */
const restMs = kills > 5 ? 3000 : 0
const clients = 8

/** Small bytes ride in the journal, the others are files; none is like another. */
const bodyOf = (number: number): Buffer => {
  const line = createHash('sha256').update(String(number)).digest('hex')
  return Buffer.from(line.repeat([1, 100, 1000, 20_000][number % 4] ?? 1))
}

interface Load {
  readonly acknowledged: Set<number>
  /** Operations whose outcome is unknown. */
  readonly unknown: Set<number>
  readonly wrong: string[]
  over: boolean
}

/** Puts new objects, and reads each at once over another connection. */
async function client(server: WorkersServer, load: Load, first: number): Promise<void> {
  for (let number = first; !load.over; number += clients) {
    const body = bodyOf(number)
    const put = await call(server, `PUT /box/${number}`, { body }).catch(() => undefined)
    if (put?.status !== 200) {
      load.unknown.add(number)
      if (put !== undefined && put.status !== 503) load.wrong.push(`${number}: put says ${put.status} ${put.text}`)
      continue
    }
    load.acknowledged.add(number)
    const got = await call(server, `GET /box/${number}`).catch(() => undefined)
    if (got !== undefined && !got.body.equals(body)) load.wrong.push(`${number}: read ${got.status} after its put`)
  }
}

/** The workers of a server that has both again: one that was killed stays a child until the server has seen it die. */
function bothOf({ pid }: WorkersServer, killed: ReadonlySet<number>): [number, number] | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  const [one, other, ...more] = children
  return one && other && more.length === 0 && !children.some((child) => killed.has(child)) ? [one, other] : undefined
}

async function killOne(server: WorkersServer, load: Load, killed: Set<number>): Promise<void> {
  await delay(restMs + Math.random() * 300)
  const workers = await vi.waitUntil(() => bothOf(server, killed), { timeout: 30_000 })
  const victim = workers[Math.random() < 0.5 ? 0 : 1]
  const before = load.acknowledged.size
  process.kill(victim, 'SIGKILL')
  killed.add(victim)
  await expect.poll(() => load.acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + clients)
}

/** What is wrong with a store that was left so. */
async function inspect(dir: string, { acknowledged, unknown }: Load): Promise<string[]> {
  const wrong = (await readdir(join(dir, 'tmp'))).map((name) => `tmp holds ${name}`)
  const store = await openStore(dir, { create: false, sweepOrphans: false })
  try {
    const found = new Set<number>()
    for await (const entry of store.objects.list('box')) {
      if (entry.kind === 'prefix') continue
      const number = Number(entry.key)
      found.add(number)
      const bytes = await (await store.objects.get('box', entry.key)).bytes()
      if (!bodyOf(number).equals(bytes)) wrong.push(`${number}: holds other bytes`)
      if (!acknowledged.has(number) && !unknown.has(number)) wrong.push(`${number}: nobody put it`)
    }
    for (const number of acknowledged) if (!found.has(number)) wrong.push(`${number}: lost`)
    const { orphans } = await store.sweep({ orphans: true })
    if (orphans > 0) wrong.push(`${orphans} blobs without a name`)
    const { divergences } = await store.verify()
    return [...wrong, ...divergences.map((divergence) => JSON.stringify(divergence))]
  } finally {
    await store.close()
  }
}

describe(`a server whose workers are killed, ${kills} times`, () => {
  // Only Linux lists the children of a process in a file.
  it.skipIf(process.platform !== 'linux')(
    'loses nothing it acknowledged, goes on, and leaves nothing behind',
    async () => {
      const server = await startWorkers(2)
      try {
        expect((await call(server, 'PUT /box')).status).toBe(200)
        const load: Load = { acknowledged: new Set(), unknown: new Set(), wrong: [], over: false }
        const under = Array.from({ length: clients }, (_, first) => client(server, load, first))
        const killed = new Set<number>()
        for (let kill = 0; kill < kills; kill++) await killOne(server, load, killed)
        load.over = true
        await Promise.all(under)
        await server.halt()
        expect(load.wrong).toEqual([])
        expect(await inspect(server.dir, load)).toEqual([])
        console.log(`${kills} kills, ${load.acknowledged.size} acknowledged, ${load.unknown.size} unknown, none lost`)
      } finally {
        await server.stop()
      }
    },
    60_000 + kills * 15_000,
  )
})
