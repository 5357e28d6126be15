/**
 * The cost of metrics and logs: processor time of `varve serve` with metrics, with logs and with both, beside a server with
 * neither:
 *
 *     npm run suite bench-observed -- [--rounds 24] [--count 256]
 *
 * Each round measures every server twice, in the order A B C D D C B A, after 64 requests that do not count: a busy server has its code in
 * the caches of the processor. Prints the medians in microseconds, and the median of
 * their ratios (observed divided by plain) with its 95 % confidence interval. The plain server may do 1 / 0.95 of the work.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { comparedLine, type Pair } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import { benchCredentials } from '../src/basics/credentials.ts'
import { type Asking, expectStatus, type S3Client, s3Client } from '../src/http/s3-client.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '24' }, count: { type: 'string', default: '256' } },
})
const [rounds, count] = [Number(values.rounds), Number(values.count)]
const width = 16
/** The runtime optimises code that runs often, so the first rounds do not count. */
const warmUp = Math.min(rounds, 8)
/** Also the number of objects. */
const uncounted = 64
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const command = fileOf('../../../packages/varve/bin/varve.js')

interface Server {
  readonly child: ChildProcess
  readonly client: S3Client
}

type Servers = Record<string, Server>

const scratch = await mkdtemp(join(tmpdir(), 'varve-observed-'))
const logOf = (name: string): readonly string[] => ['--request-log', join(scratch, `${name}.log`)]

const optionsOf: Readonly<Record<string, readonly string[]>> = {
  plain: [],
  metrics: ['--metrics'],
  logs: logOf('logs'),
  both: ['--metrics', ...logOf('both')],
}

async function started(name: string): Promise<Server> {
  const { accessKeyId, secretAccessKey, region } = benchCredentials
  const args = ['serve', join(scratch, name), '--port', '0', '--json', '--region', region, ...(optionsOf[name] ?? [])]
  const child = fork(command, args, {
    execArgv: ['--import', fileOf('report-processor.js')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, VARVE_ACCESS_KEY_ID: accessKeyId, VARVE_SECRET_ACCESS_KEY: secretAccessKey },
  })
  let shown = ''
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    shown += String(chunk)
    const [url] = /http:\/\/[\d.:]+/.exec(shown) ?? []
    if (url === undefined) continue
    const client = await s3Client(url, benchCredentials, width)
    expectStatus(await client.ask({ method: 'PUT', path: '/bucket' }), 200)
    return { child, client }
  }
  throw new Error('A server ended before it was ready.')
}

async function processorMs({ child }: Server): Promise<number> {
  child.send('processor')
  const [ms] = (await once(child, 'message')) as [number]
  return ms
}

const body = Buffer.alloc(4096, 'x')
const pathOf = (at: number): string => `/bucket/key-${at % uncounted}`
const operations: Readonly<Record<string, (at: number) => Asking>> = {
  'PUT 4 KiB': (at) => ({ method: 'PUT', path: pathOf(at), body }),
  'GET 4 KiB': (at) => ({ method: 'GET', path: pathOf(at) }),
  'LIST of all': () => ({ method: 'GET', path: '/bucket', query: 'list-type=2' }),
}

/** The processor time of one request, in milliseconds. */
async function measure(server: Server, asking: (at: number) => Asking): Promise<number> {
  const request = async (at: number): Promise<void> => void expectStatus(await server.client.ask(asking(at)), 200)
  await inFlight(width, uncounted, request)
  const before = await processorMs(server)
  await inFlight(width, count, request)
  return ((await processorMs(server)) - before) / count
}

/** The costs of all servers in one round, each twice, so that none gains from being later. All answer the same number of requests. */
async function roundOf(
  servers: Servers,
  asking: (at: number) => Asking,
  round: number,
): Promise<ReadonlyMap<string, number>> {
  const names = Object.keys(servers)
  const turn = Math.abs(round) % names.length
  const order = [...names.slice(turn), ...names.slice(0, turn)]
  const sums = new Map<string, number>()
  for (const name of [...order, ...order.toReversed()]) {
    const ms = await measure(servers[name] as Server, asking)
    sums.set(name, (sums.get(name) ?? 0) + ms / 2)
  }
  return sums
}

async function compare(servers: Servers): Promise<void> {
  const pairs = new Map<string, Pair[]>()
  for (let round = 1 - warmUp; round <= rounds; round++) {
    for (const [operation, asking] of Object.entries(operations)) {
      const costs = await roundOf(servers, asking, round)
      if (round <= 0) continue
      for (const name of ['metrics', 'logs', 'both']) {
        const pair: Pair = [costs.get(name) ?? Number.NaN, costs.get('plain') ?? Number.NaN]
        pairs.set(`${operation}, ${name}`, [...(pairs.get(`${operation}, ${name}`) ?? []), pair])
      }
    }
  }
  for (const [label, measured] of pairs) console.log(comparedLine(label, measured, comparison))
}

const comparison = { names: ['observed', 'plain'], costMax: 1 / 0.95, judgedMax: 0.05, digits: 3 } as const

/** @throws Error if a request has no line */
async function expectAllLogged(): Promise<void> {
  // A round measures each server twice.
  const requests = 1 + (rounds + warmUp) * Object.keys(operations).length * 2 * (count + uncounted)
  for (const name of ['logs', 'both']) {
    const lines = (await readFile(join(scratch, `${name}.log`), 'utf8')).trimEnd().split('\n')
    if (lines.length !== requests) throw new Error(`${name}: ${lines.length} lines for ${requests} requests.`)
  }
}

const servers: Servers = {}
try {
  for (const name of Object.keys(optionsOf)) servers[name] = await started(name)
  await compare(servers)
  for (const { child, client } of Object.values(servers)) {
    client.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await expectAllLogged()
} finally {
  for (const { child } of Object.values(servers)) child.kill('SIGKILL')
  await rm(scratch, { recursive: true, force: true })
}
