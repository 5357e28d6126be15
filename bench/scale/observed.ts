/**
 * The cost of metrics and logs: processor time of `varve serve` with metrics, with logs and with both, beside a server with
 * neither:
 *
 *     npm run suite bench-observed -- [--starts 4] [--rounds 32] [--count 64] [--servers metrics,logs,both]
 *         [--operations put,get,list]
 *
 * Each round measures every server twice, in the order A B C D D C B A, after 16 requests that do not count: a busy server has its code
 * in the caches of the processor. Rounds are short and many, because the speed of a shared machine changes from second to second. The
 * servers are started several times, because two processes of one program differ by some per cent as long as they live.
 * Prints the medians in microseconds, and the median of their ratios (observed divided by plain) with its 95 % confidence interval. The
 * plain server may do 1 / 0.95 of the work.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { comparedLine, type Pair } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import { benchCredentials } from '../src/basics/credentials.ts'
import { type Asking, expectStatus, type S3Client, s3Client } from '../src/http/s3-client.ts'

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '32' },
    count: { type: 'string', default: '64' },
    servers: { type: 'string', default: 'metrics,logs,both' },
    operations: { type: 'string', default: 'put,get,list' },
  },
})
const [starts, rounds, count] = [Number(values.starts), Number(values.rounds), Number(values.count)]
const observed = values.servers.split(',')
const operations = values.operations.split(',')
const width = 16
/** The runtime optimises code that runs often, so the first rounds do not count. */
const warmUp = Math.min(rounds, 16)
const uncounted = 16
const objects = 64
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const command = fileOf('../../../packages/varve/bin/varve.js')

interface Server {
  readonly child: ChildProcess
  readonly client: S3Client
}

type Servers = Record<string, Server>

const logName = 'requests.log'
/** `here` is the directory of the server. */
const optionsOf: Readonly<Record<string, (here: string) => readonly string[]>> = {
  plain: () => [],
  metrics: () => ['--metrics'],
  logs: (here) => ['--request-log', join(here, logName)],
  both: (here) => ['--metrics', '--request-log', join(here, logName)],
}

async function started(name: string, here: string): Promise<Server> {
  const { accessKeyId, secretAccessKey, region } = benchCredentials
  const options = optionsOf[name]
  if (options === undefined) throw new Error(`No server is called ${name}.`)
  await mkdir(here)
  const args = ['serve', join(here, 'store'), '--port', '0', '--json', '--region', region, ...options(here)]
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
    for (let at = 0; at < objects; at++) expectStatus(await client.ask(put(at)), 200)
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
const pathOf = (at: number): string => `/bucket/key-${at % objects}`
const put = (at: number): Asking => ({ method: 'PUT', path: pathOf(at), body })
const askings: Readonly<Record<string, (at: number) => Asking>> = {
  put,
  get: (at) => ({ method: 'GET', path: pathOf(at) }),
  list: () => ({ method: 'GET', path: '/bucket', query: 'list-type=2' }),
}

function askingOf(operation: string): (at: number) => Asking {
  const asking = askings[operation]
  if (asking === undefined) throw new Error(`No operation is called ${operation}.`)
  return asking
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

const pairs = new Map<string, Pair[]>()

async function measureAll(servers: Servers): Promise<void> {
  for (let round = 1 - warmUp; round <= rounds; round++) {
    for (const operation of operations) {
      const costs = await roundOf(servers, askingOf(operation), round)
      if (round <= 0) continue
      for (const name of observed) {
        const pair: Pair = [costs.get(name) ?? Number.NaN, costs.get('plain') ?? Number.NaN]
        const label = `${operation}, ${name}`
        pairs.set(label, [...(pairs.get(label) ?? []), pair])
      }
    }
  }
}

/** @throws Error if a request has no line */
async function expectAllLogged(directory: string): Promise<void> {
  // A round measures each server twice.
  const requests = 1 + objects + (rounds + warmUp) * operations.length * 2 * (count + uncounted)
  for (const name of observed.filter((server) => server !== 'metrics')) {
    const lines = (await readFile(join(directory, name, logName), 'utf8')).trimEnd().split('\n')
    if (lines.length !== requests) throw new Error(`${name}: ${lines.length} lines for ${requests} requests.`)
  }
}

async function measureStarted(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-observed-'))
  const servers: Servers = {}
  try {
    for (const name of ['plain', ...observed]) servers[name] = await started(name, join(directory, name))
    await measureAll(servers)
    for (const { child, client } of Object.values(servers)) {
      client.close()
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await expectAllLogged(directory)
  } finally {
    for (const { child } of Object.values(servers)) child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
}

for (let start = 0; start < starts; start++) await measureStarted()
const comparison = { names: ['observed', 'plain'], costMax: 1 / 0.95, judgedMax: 0.05, digits: 3 } as const
for (const [label, measured] of pairs) console.log(comparedLine(label, measured, comparison))
