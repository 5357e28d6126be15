/**
 * The cost of a replica in a directory: processor time of PUT and GET with it and without it, in process and over HTTP, and the size of
 * the replica beside that of the store:
 *
 *     npm run suite bench-replicated -- [--rounds 6] [--count 16384]
 *
 * Each store is in a process of its own. Each round measures both, twice, in the order A B B A. The time of the store with a replica ends
 * when the replica has what was written. A measurement takes many operations, because LevelDB compacts behind them. Prints medians in
 * microseconds, and of the ratios (with a replica divided by without), with the 95 % confidence interval of that median. Over HTTP it is
 * the processor time of the servers alone.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { comparedLine, type Measure, type Pair, pairOf } from '../lib/compared-pairs.ts'
import { inFlight, medianOf } from '../lib/measure.ts'
import { benchCredentials } from '../src/basics/credentials.ts'
import { type S3Client, s3Client } from '../src/http/s3-client.ts'
import type { FromStore, ReplicatedOperation, ToStore } from './replicated-store.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, count: { type: 'string', default: '16384' } },
})
const [rounds, count] = [Number(values.rounds), Number(values.count)]
const warmUp = Math.min(rounds, 2)
const width = 16
const mebibyte = 1024 * 1024
const comparison = { names: ['replicated', 'alone'], costMax: 1.15, judgedMax: 0.1, digits: 2 } as const

interface Subject {
  readonly child: ChildProcess
  readonly client: S3Client
}

const scratch = await mkdtemp(join(tmpdir(), 'varve-replicated-'))
const [home, replica] = [join(scratch, 'data'), join(scratch, 'replica')]

async function answer<K extends FromStore['kind']>(child: ChildProcess, kind: K) {
  const [message] = (await once(child, 'message')) as [FromStore]
  if (message.kind !== kind) throw new Error(`The store answered ${message.kind}, not ${kind}.`)
  return message as Extract<FromStore, { readonly kind: K }>
}

async function begin(...given: readonly string[]): Promise<Subject> {
  const child = fork(fileURLToPath(new URL('replicated-store.js', import.meta.url)), given)
  // Otherwise the wait for the next answer would never end.
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`The store ended with status ${code}.`)
  })
  const { url } = await answer(child, 'ready')
  return { child, client: await s3Client(url, benchCredentials, width) }
}

async function ask({ child }: Subject, message: ToStore): Promise<number> {
  child.send(message)
  return (await answer(child, 'ms')).ms
}

const inProcess =
  (operation: ReplicatedOperation, size: number, times: number) =>
  (subject: Subject): Measure =>
  async () =>
    (await ask(subject, { kind: 'run', job: { operation, count: times, size } })) / times

const pool = randomBytes(mebibyte)
const bodySize = 4096

function bodyAt(at: number): Buffer {
  const start = (at * 4099) % (pool.length - bodySize)
  return pool.subarray(start, start + bodySize)
}

const overHttp =
  (operation: ReplicatedOperation) =>
  (subject: Subject): Measure =>
  async () => {
    const before = await ask(subject, { kind: 'processor' })
    await inFlight(width, count, async (at) => {
      const path = `/bucket/http-${at % 64}`
      const asking = operation === 'put' ? { method: 'PUT', path, body: bodyAt(at) } : { method: 'GET', path }
      const { status } = await subject.client.ask(asking)
      if (status !== 200) throw new Error(`${asking.method} ${path} answered ${status}.`)
    })
    return ((await ask(subject, { kind: 'processor' })) - before) / count
  }

const large = Math.max(1, Math.round(count / 64))
const largeName = 'PUT 1 MiB in process'
const measures: Readonly<Record<string, (subject: Subject) => Measure>> = {
  'PUT 4 KiB in process': inProcess('put', 4096, count),
  'GET 4 KiB in process': inProcess('get', 4096, count),
  'PUT 4 KiB over HTTP': overHttp('put'),
  'GET 4 KiB over HTTP': overHttp('get'),
  [largeName]: inProcess('put', mebibyte, large),
}

async function bytesIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

try {
  const subjects = [await begin(home, replica), await begin(join(scratch, 'alone'))] as const
  const pairs = new Map<string, Pair[]>(Object.keys(measures).map((name) => [name, []]))
  for (let round = 1 - warmUp; round <= rounds; round++) {
    console.error(round > 0 ? `round ${round} of ${rounds}` : 'warming up')
    for (const [name, measure] of Object.entries(measures)) {
      const pair = await pairOf([measure(subjects[0]), measure(subjects[1])], round)
      if (round > 0) pairs.get(name)?.push(pair)
    }
  }
  for (const [name, measured] of pairs) console.log(comparedLine(name, measured, comparison))
  const perMebibyte = medianOf((pairs.get(largeName) ?? []).map(([ours, theirs]) => ours - theirs))
  console.log(`A replicated MiB costs ${perMebibyte.toFixed(2)} ms of processor time.`)
  for (const { child, client } of subjects) {
    client.close()
    child.send({ kind: 'end' } satisfies ToStore)
    await once(child, 'exit')
  }
  const [stored, copied] = [await bytesIn(home), await bytesIn(replica)]
  const share = (copied / stored).toFixed(2)
  console.log(
    `The store has ${Math.round(stored / mebibyte)} MiB, the replica ${Math.round(copied / mebibyte)} MiB: ${share}.`,
  )
} finally {
  await rm(scratch, { recursive: true, force: true })
}
