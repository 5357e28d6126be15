/**
 * Compares the processor time of each operation in this checkout and in another, in turns:
 *
 *     node bench/dist/scale/compare-trees.js OTHER_CHECKOUT [--rounds 25]
 *
 * The other checkout must be built; `npm run suite bench-against` makes one of a commit. Each round measures both
 * trees, one after the other, so that other work of the machine affects both. Prints the median of the rounds in
 * microseconds, and of their ratios (this checkout divided by the other), with the 95 % confidence interval of that
 * median. Over HTTP it is the processor time of the server alone.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { comparedLine } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import { type Request, ServerProcess } from '../lib/server-process.ts'
import type { InProcessJob, InProcessOperation } from './in-process.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '25' } },
})
const other = positionals[0]
if (other === undefined) throw new TypeError('Name another checkout, built.')
const rounds = Number(values.rounds)
const width = 16
const objects = 1500
const comparison = { names: ['this', 'other'], costMax: 1.02, judgedMax: 0.08, digits: 2 } as const

/** Processor time of one operation of one tree, in milliseconds. */
type Measure = () => Promise<number>

interface Operation {
  readonly name: string
  readonly trees: readonly [ours: Measure, theirs: Measure]
}

const body = Buffer.alloc(4096, 'x')
const target = (at: number): string => `/bucket/key-${String(at % objects).padStart(6, '0')}`
const kinds: readonly { name: string; job: InProcessOperation; count: number; request: (at: number) => Request }[] = [
  { name: 'PUT 4 KiB', job: 'put', count: objects, request: (at) => ({ method: 'PUT', target: target(at), body }) },
  { name: 'GET 4 KiB', job: 'get', count: 6000, request: (at) => ({ method: 'GET', target: target(at) }) },
  { name: 'HEAD', job: 'head', count: 6000, request: (at) => ({ method: 'HEAD', target: target(at) }) },
  { name: 'LIST 1000', job: 'list', count: 80, request: () => ({ method: 'GET', target: '/bucket?list-type=2' }) },
  { name: 'versions 1000', job: 'versions', count: 60, request: () => ({ method: 'GET', target: '/bucket?versions' }) },
]

const scratch = await mkdtemp(join(tmpdir(), 'varve-compare-'))
const agent = new Agent({ keepAlive: true, maxSockets: width })
const roots = [fileURLToPath(new URL('../../..', import.meta.url)), resolve(other)] as const

async function startServer(root: string, at: number): Promise<ServerProcess> {
  const program = join(root, 'packages/varve/bin/varve.js')
  const server = await ServerProcess.start(join(scratch, `server-${at}`), [], agent, program)
  await server.exchange({ method: 'PUT', target: '/bucket' })
  return server
}

async function startProcess(root: string, at: number): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('in-process.js', import.meta.url))
  const child = fork(program, [join(root, 'packages/varve/dist/index.js'), join(scratch, `store-${at}`)])
  // Otherwise the next answer would be awaited for ever.
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`The store of ${root} ended with status ${code}.`)
  })
  await once(child, 'message')
  return child
}

async function overHttp(server: ServerProcess, count: number, request: (at: number) => Request): Promise<number> {
  const before = await server.processorMs()
  await inFlight(width, count, (at) => server.exchange(request(at)))
  return ((await server.processorMs()) - before) / count
}

async function inProcess(child: ChildProcess, job: InProcessJob): Promise<number> {
  child.send(job)
  const [cost] = (await once(child, 'message')) as [number]
  return cost
}

const servers = [await startServer(roots[0], 0), await startServer(roots[1], 1)] as const
const children = [await startProcess(roots[0], 0), await startProcess(roots[1], 1)] as const
const operations: readonly Operation[] = kinds.flatMap(({ name, job, count, request }) => {
  const http = (at: 0 | 1) => () => overHttp(servers[at], count, request)
  const process = (at: 0 | 1) => () => inProcess(children[at], { operation: job, count, objects })
  return [
    { name: `${name} over HTTP`, trees: [http(0), http(1)] as const },
    { name: `${name} in process`, trees: [process(0), process(1)] as const },
  ]
})

/** The cost of each operation in one round, on both trees. The trees take turns to be first. */
async function measure(round: number): Promise<[ours: number, theirs: number][]> {
  const costs: [number, number][] = []
  for (const { trees } of operations) {
    const pair: [number, number] = [0, 0]
    for (const tree of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) pair[tree] = await trees[tree]()
    costs.push(pair)
  }
  return costs
}

try {
  // The first round warms both up and does not count.
  await measure(0)
  const measured: [number, number][][] = []
  for (let round = 1; round <= rounds; round++) measured.push(await measure(round))
  for (const [at, { name }] of operations.entries()) {
    const pairs = measured.map((costs) => costs[at] as [number, number])
    console.log(comparedLine(name, pairs, comparison))
  }
} finally {
  const ended = children.map((child) => once(child, 'exit'))
  for (const child of children) child.disconnect()
  await Promise.all([...ended, ...servers.map((server) => server.stop())])
  agent.destroy()
  await rm(scratch, { recursive: true, force: true })
}
