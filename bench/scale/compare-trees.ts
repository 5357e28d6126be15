/**
 * Processor time of the server for each request, of this checkout and of another, in turns:
 *
 *     node bench/dist/scale/compare-trees.js OTHER_CHECKOUT [--rounds 9]
 *
 * The other checkout must be built; `npm run suite bench-against` makes one of a commit. Each round measures both trees, one
 * after the other, so that other work of the machine affects both. Prints the median of the rounds in microseconds a request, and
 * of their ratios: other divided by this.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { quantileOf } from '../lib/measure.ts'
import { type Request, ServerProcess } from '../lib/server-process.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' } },
})
const other = positionals[0]
if (other === undefined) throw new TypeError('Name another checkout, built.')
const rounds = Number(values.rounds)

const inFlight = 16
const objects = 1500
const body = Buffer.alloc(4096, 'x')
const keyOf = (at: number): string => `/bucket/key-${String(at).padStart(6, '0')}`

interface Operation {
  readonly name: string
  /** Requests in a round. */
  readonly count: number
  readonly request: (at: number) => Request
}

const get = (target: string): Request => ({ method: 'GET', target })
const operations: readonly Operation[] = [
  { name: 'PUT 4 KiB', count: objects, request: (at) => ({ method: 'PUT', target: keyOf(at), body }) },
  { name: 'GET 4 KiB', count: 6000, request: (at) => get(keyOf(at % objects)) },
  { name: 'HEAD', count: 6000, request: (at) => ({ method: 'HEAD', target: keyOf(at % objects) }) },
  { name: 'ListObjectsV2, page of 1000', count: 80, request: () => get('/bucket?list-type=2') },
  { name: 'ListObjectVersions, page', count: 60, request: () => get('/bucket?versions') },
]

async function run(server: ServerProcess, { count, request }: Operation): Promise<number> {
  const before = await server.processorMs()
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await server.exchange(request(at))
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return ((await server.processorMs()) - before) / count
}

const scratch = await mkdtemp(join(tmpdir(), 'varve-compare-'))
const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
const start = async (name: string, program?: string): Promise<ServerProcess> => {
  const server = await ServerProcess.start(join(scratch, name), [], agent, program)
  await server.exchange({ method: 'PUT', target: '/bucket' })
  return server
}
const trees = [await start('this'), await start('other', join(resolve(other), 'packages/varve/bin/varve.js'))] as const
type Costs = [ours: number[], theirs: number[]]

/** Each operation on both trees, either first in every second round. */
async function compare(round: number): Promise<[ours: number, theirs: number][]> {
  const found: [number, number][] = []
  for (const operation of operations) {
    const pair: [number, number] = [0, 0]
    for (const tree of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      pair[tree] = await run(trees[tree], operation)
    }
    found.push(pair)
  }
  return found
}

try {
  const costs = operations.map(() => [[], []] as Costs)
  // The first round warms both up and does not count.
  await compare(0)
  for (let round = 1; round <= rounds; round++) {
    for (const [at, [ours, theirs]] of (await compare(round)).entries()) {
      costs[at]?.[0].push(ours)
      costs[at]?.[1].push(theirs)
    }
  }
  for (const [at, { name }] of operations.entries()) {
    const [ours, theirs] = costs[at] as Costs
    const ratios = ours.map((cost, round) => (theirs[round] as number) / cost)
    const micros = (ms: readonly number[]) => `${Math.round(quantileOf(ms, 0.5) * 1000)} us`.padStart(9)
    const spread = `[${quantileOf(ratios, 0).toFixed(2)} .. ${quantileOf(ratios, 0.999).toFixed(2)}]`
    console.log(
      `${name.padEnd(28)} this ${micros(ours)}  other ${micros(theirs)}  ${quantileOf(ratios, 0.5).toFixed(2)} ${spread}`,
    )
  }
} finally {
  await Promise.all(trees.map((tree) => tree.stop()))
  agent.destroy()
  await rm(scratch, { recursive: true, force: true })
}
