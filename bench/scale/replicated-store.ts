/** A store for `replicated`, with its server. It runs operations on request, and answers with their processor time. `node replicated-store.js DIRECTORY [REPLICA]` */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from 'varve'
import { createIdentity, serve } from 'varve/http'
import { inFlight } from '../lib/measure.ts'
import { benchCredentials } from '../src/basics/credentials.ts'

export type ReplicatedOperation = 'put' | 'get'

export interface ReplicatedJob {
  readonly operation: ReplicatedOperation
  readonly count: number
  /** Of each object, in bytes. */
  readonly size: number
}

/** Messages to this process. `processor`: the processor time since the start. */
export type ToStore = { readonly kind: 'run'; readonly job: ReplicatedJob } | { readonly kind: 'processor' | 'end' }
export type FromStore = { readonly kind: 'ready'; readonly url: string } | { readonly kind: 'ms'; readonly ms: number }

const objects = 64
const [directory = '', replica] = process.argv.slice(2)
const replicas = replica === undefined ? {} : { replicas: [{ to: replica }] }
const store = await openStore(directory, { sweepEveryMs: 0, lifecycle: false, ...replicas })
await store.buckets.create('bucket')
const { region, ...keys } = benchCredentials
const identity = createIdentity({ name: 'bench', ...keys, root: true })
// A connection waits while the other side is measured.
const patient = { headersTimeoutMs: 0, idleTimeoutMs: 0, keepAliveTimeoutMs: 0 }
const server = await serve({ store, identities: [identity], region, port: 0, ...patient })

const pool = randomBytes(8 * 1024 * 1024)

/** Bytes that cannot be packed, as those of pictures, and others each time. */
function bodyOf(size: number): Uint8Array {
  const start = Math.floor(Math.random() * (pool.length - size))
  return pool.subarray(start, start + size)
}

async function untilReplicated(): Promise<void> {
  const position = () => store.jobs.find(({ name }) => name.startsWith('replication'))?.progress?.position ?? 0
  while (replica !== undefined && position() < store.seq) await pause(50)
}

/** LevelDB compacts behind the operations: what it still owes belongs to them. */
async function untilIdle(): Promise<void> {
  for (let idle = 0; idle < 4; ) {
    const before = process.cpuUsage()
    await pause(100)
    const { user, system } = process.cpuUsage(before)
    idle = user + system < 5000 ? idle + 1 : 0
  }
}

/**
 * All that the operations cost is paid: the replica has what was written, what was replaced is erased, and LevelDB has compacted. A sweep
 * erases only what a replica has, and a store by itself sweeps later than a replica copies. So both wait before they sweep: LevelDB compacts
 * less if it never sees what was replaced.
 */
async function processorMs(): Promise<number> {
  await untilReplicated()
  await untilIdle()
  await store.sweep()
  await untilReplicated()
  await untilIdle()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function run({ operation, count, size }: ReplicatedJob): Promise<number> {
  const before = await processorMs()
  await inFlight(16, count, async (at) => {
    const key = `key-${size}-${at % objects}`
    if (operation === 'put') await store.objects.put('bucket', key, bodyOf(size))
    else await (await store.objects.get('bucket', key)).bytes()
  })
  return (await processorMs()) - before
}

async function end(): Promise<void> {
  await server.close()
  await store.close()
  process.disconnect()
}

const send = (message: FromStore) => process.send?.(message)
process.on('message', (message: ToStore) => {
  switch (message.kind) {
    case 'run':
      return void run(message.job).then((ms) => send({ kind: 'ms', ms }))
    case 'processor':
      return void processorMs().then((ms) => send({ kind: 'ms', ms }))
    case 'end':
      return void end()
  }
})
send({ kind: 'ready', url: server.url })
