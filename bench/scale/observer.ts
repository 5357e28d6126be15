/**
 * The cost of an observer: processor time of PUT and GET of 4 KiB with an observer that counts, and without one:
 *
 *     npm run suite bench-observer -- [--rounds 300] [--count 32]
 *
 * Both stores are in one process. Each round measures both, so that other work of the machine affects both: each of them
 * twice, in the order A B B A, so that neither gains from being later. Prints the median of the rounds in microseconds, and
 * of their ratios (with an observer divided by without), with the 95 % confidence interval of that median. Over HTTP it
 * is the processor time of the servers alone.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { comparedLine, type Measure, type Pair, pairOf } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import { benchCredentials } from '../src/basics/credentials.ts'
import { type S3Client, s3Client } from '../src/http/s3-client.ts'
import type { FromStores, ObservedOperation, Side, ToStores } from './observed-stores.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '300' }, count: { type: 'string', default: '32' } },
})
const [rounds, count] = [Number(values.rounds), Number(values.count)]
const width = 16
/** The runtime optimises code that runs often, so the first rounds do not count. */
const warmUp = Math.min(rounds, 100)
/** A GET is short: more of them give a figure that is as exact as that of a PUT. */
const getsFor = 4
const comparison = { names: ['observed', 'plain'], costMax: 1.01, judgedMax: 0.03, digits: 3 } as const

const scratch = await mkdtemp(join(tmpdir(), 'varve-observer-'))
const child = fork(fileURLToPath(new URL('observed-stores.js', import.meta.url)), [scratch])
// Otherwise the next answer would be awaited for ever.
child.once('exit', (code) => {
  if (code !== 0) throw new Error(`The stores ended with status ${code}.`)
})

async function answer<K extends FromStores['kind']>(kind: K): Promise<Extract<FromStores, { readonly kind: K }>> {
  const [message] = (await once(child, 'message')) as [FromStores]
  if (message.kind !== kind) throw new Error(`The stores answered ${message.kind}, not ${kind}.`)
  return message as Extract<FromStores, { readonly kind: K }>
}

async function ask(message: ToStores): Promise<number> {
  child.send(message)
  return (await answer('ms')).ms
}

const { urls } = await answer('ready')
const clients: Readonly<Record<Side, S3Client>> = {
  plain: await s3Client(urls.plain, benchCredentials, width),
  observed: await s3Client(urls.observed, benchCredentials, width),
}
const body = Buffer.alloc(4096, 'x')

const countOf = (operation: ObservedOperation): number => (operation === 'get' ? getsFor * count : count)

const inProcess =
  (operation: ObservedOperation) =>
  (side: Side): Measure =>
  async () => {
    const job = { side, operation, count: countOf(operation), objects: count }
    return (await ask({ kind: 'run', job })) / job.count
  }

const overHttp =
  (operation: ObservedOperation) =>
  (side: Side): Measure =>
  async () => {
    const before = await ask({ kind: 'processor' })
    const requests = countOf(operation)
    await inFlight(width, requests, async (at) => {
      const path = `/bucket/http-${at % count}`
      const asking = operation === 'put' ? { method: 'PUT', path, body } : { method: 'GET', path }
      const { status } = await clients[side].ask(asking)
      if (status !== 200) throw new Error(`${asking.method} ${path} answered ${status}.`)
    })
    return ((await ask({ kind: 'processor' })) - before) / requests
  }

const measures: Readonly<Record<string, (side: Side) => Measure>> = {
  'PUT 4 KiB in process': inProcess('put'),
  'GET 4 KiB in process': inProcess('get'),
  'PUT 4 KiB over HTTP': overHttp('put'),
  'GET 4 KiB over HTTP': overHttp('get'),
}

/** @throws Error if the observer missed something */
async function expectAllCounted(): Promise<void> {
  child.send({ kind: 'end' } satisfies ToStores)
  const { counted } = await answer('counted')
  console.log(JSON.stringify(counted))
  const puts = 4 * (rounds + warmUp) * count
  // Erasing what was replaced takes further commands.
  if (counted.commands < puts || counted.events < puts || counted.requests !== ((1 + getsFor) * puts) / 2)
    throw new Error('The observer did not receive every command and request.')
}

try {
  const pairs = new Map<string, Pair[]>(Object.keys(measures).map((name) => [name, []]))
  for (let round = 1 - warmUp; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(measures)) {
      const pair = await pairOf([measure('observed'), measure('plain')], round)
      if (round > 0) pairs.get(name)?.push(pair)
    }
  }
  for (const [name, measured] of pairs) console.log(comparedLine(name, measured, comparison))
  for (const client of Object.values(clients)) client.close()
  await expectAllCounted()
} finally {
  if (child.connected) child.disconnect()
  await rm(scratch, { recursive: true, force: true })
}
