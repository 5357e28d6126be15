/**
 * Two stores in one process, for `observer`: one with an observer that counts, one without, each with its server. It runs
 * operations on request and answers with their processor time. `node observed-stores.js DIRECTORY`
 */
import { join } from 'node:path'
import { type Observer, openStore, type Store } from 'varve'
import { createIdentity, type RunningServer, serve } from 'varve/http'
import { inFlight } from '../lib/measure.ts'
import { benchCredentials } from '../src/basics/credentials.ts'

export type Side = 'observed' | 'plain'
export type ObservedOperation = 'put' | 'get'
export interface ObservedJob {
  readonly side: Side
  readonly operation: ObservedOperation
  readonly count: number
  /** How many keys the operations share. */
  readonly objects: number
}

/** What the observer counted. */
export interface Counted {
  commands: number
  events: number
  syncs: number
  requests: number
  lookups: number
  queues: number
}

/** Messages to this process. `processor`: the processor time since the start. `end`: closes all. */
export type ToStores = { readonly kind: 'run'; readonly job: ObservedJob } | { readonly kind: 'processor' | 'end' }
/** The servers' addresses, milliseconds of processor time, or what was counted by the end. */
export type FromStores =
  | { readonly kind: 'ready'; readonly urls: Readonly<Record<Side, string>> }
  | { readonly kind: 'ms'; readonly ms: number }
  | { readonly kind: 'counted'; readonly counted: Counted }

const [directory = ''] = process.argv.slice(2)
const body = new Uint8Array(4096).fill(120)

const counted: Counted = { commands: 0, events: 0, syncs: 0, requests: 0, lookups: 0, queues: 0 }
const observer: Observer = {
  commit({ commands, events }) {
    counted.commands += commands
    counted.events += events
  },
  sync: () => void counted.syncs++,
  request: () => void counted.requests++,
  cache: ({ hits, misses }) => void (counted.lookups += hits + misses),
  queue: () => void counted.queues++,
}

interface Opened {
  readonly store: Store
  readonly server: RunningServer
}

async function opened(name: Side): Promise<Opened> {
  const watch = name === 'observed' && { observer }
  const store = await openStore(join(directory, name), { sweepEveryMs: 0, lifecycle: false, ...watch })
  await store.buckets.create('bucket')
  const { region, ...keys } = benchCredentials
  const identity = createIdentity({ name: 'bench', ...keys, root: true })
  // A connection waits while the other side is measured.
  const patient = { headersTimeoutMs: 0, idleTimeoutMs: 0, keepAliveTimeoutMs: 0 }
  const server = await serve({ store, identities: [identity], region, port: 0, ...patient, ...watch })
  return { store, server }
}

/** Replaced objects are erased in the background. This waits for it: otherwise the next measurement would pay for it. */
async function processorMs(): Promise<number> {
  for (const { store } of Object.values(sides)) await store.sweep()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const operations: Readonly<Record<ObservedOperation, (store: Store, key: string) => Promise<unknown>>> = {
  put: (store, key) => store.objects.put('bucket', key, body),
  get: async (store, key) => (await store.objects.get('bucket', key)).bytes(),
}

const sides: Readonly<Record<Side, Opened>> = { plain: await opened('plain'), observed: await opened('observed') }
const send = (message: FromStores) => process.send?.(message)

async function run({ side, operation, count, objects }: ObservedJob): Promise<void> {
  const before = await processorMs()
  await inFlight(16, count, (at) => operations[operation](sides[side].store, `key-${at % objects}`))
  send({ kind: 'ms', ms: (await processorMs()) - before })
}

async function report(): Promise<void> {
  send({ kind: 'ms', ms: await processorMs() })
}

async function end(): Promise<void> {
  for (const { server, store } of Object.values(sides)) {
    await server.close()
    await store.close()
  }
  send({ kind: 'counted', counted })
  process.disconnect()
}

process.on('message', (message: ToStores) => {
  switch (message.kind) {
    case 'run':
      return void run(message.job)
    case 'processor':
      return void report()
    case 'end':
      return void end()
  }
})
send({ kind: 'ready', urls: { plain: sides.plain.server.url, observed: sides.observed.server.url } })
