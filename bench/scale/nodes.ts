/**
 * Processor time of one request with one, two and three nodes on PostgreSQL, beside a server on a directory of this disk, a store on
 * PostgreSQL in a process without HTTP (`engine`), and inserts of PostgreSQL itself:
 *
 *     npm run suite bench-nodes -- [--rounds 10] [--scale 1] [--entries 1000] [--width 12]
 *         [--operations put-4k,get-4k,list,put-1m,get-1m]
 *
 * Measures the processor time of the nodes, of the database and of the server that has the blobs, each by itself. All share this machine,
 * also with this client, so a rate says what two processors carry, and only ratios of rates say something. Each round measures every store twice, in the order A B C C B A. Prints medians in
 * microseconds with the 95 % interval of the median, and medians of the ratios of the rounds. Then it prints how many bytes an object
 * takes in the database. Starts PostgreSQL, which must be installed; Linux only.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { inFlight, medianOf } from '../lib/measure.ts'
import { type Database, openDatabase } from '../lib/node-database.ts'
import {
  databaseMs,
  processorMs,
  type ServedStore,
  type Server,
  startBlobs,
  startNodes,
  startOnDisk,
  stopServer,
} from '../lib/node-stores.ts'
import { startSharedServers } from '../lib/shared-servers.ts'
import { medianInterval } from '../src/basics/statistics.ts'
import { type Asking, expectStatus } from '../src/http/s3-client.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    scale: { type: 'string', default: '1' },
    entries: { type: 'string', default: '1000' },
    width: { type: 'string', default: '12' },
    operations: { type: 'string', default: 'put-4k,get-4k,list,put-1m,get-1m' },
  },
})
const rounds = Number(values.rounds)
const entries = Number(values.entries)
const chosen = values.operations.split(',')
const width = Number(values.width)
const objects = 64
const longObjects = 8
/** The runtime optimises code that runs often, so the first rounds are not measured. */
const warmUp = Math.min(rounds, 4)

const short = Buffer.alloc(4096, 'x')
const long = Buffer.alloc(1024 * 1024, 'x')
let keys = 0
/** Requests that a node refused with 503. */
let repeated = 0
const put = (path: string, body: Uint8Array): Asking => ({ method: 'PUT', path, body })
const get = (path: string): Asking => ({ method: 'GET', path })
/** Keys without an order, as most programs have them. */
const newKey = (): string => createHash('md5').update(String(keys++)).digest('hex')

interface Operation {
  readonly count: number
  asking(at: number): Asking
}

const operations: Readonly<Record<string, Operation>> = {
  'put-4k': { count: 96, asking: () => put(`/bucket/${newKey()}`, short) },
  'get-4k': { count: 192, asking: (at) => get(`/bucket/key-${at % objects}`) },
  list: { count: 12, asking: () => ({ method: 'GET', path: '/listed', query: 'list-type=2' }) },
  'put-1m': { count: 24, asking: () => put(`/bucket/${newKey()}`, long) },
  'get-1m': { count: 24, asking: (at) => get(`/bucket/long-${at % longObjects}`) },
}

/** Milliseconds of processor time. */
interface Cost {
  readonly node: number
  readonly database: number
  readonly blobs: number
  /** From the beginning to the end, of all that is in flight: the rate is one divided by it. */
  readonly wall: number
}
const noCost: Cost = { node: 0, database: 0, blobs: 0, wall: 0 }
const totalOf = ({ node, database, blobs }: Cost): number => node + database + blobs

const serverAt = ({ servers }: ServedStore, at: number): Server => servers[at % servers.length] as Server

async function sendAll(store: ServedStore, count: number, asking: (at: number) => Asking): Promise<void> {
  await inFlight(width, count, async (at) => {
    const request = asking(at)
    let answer = await serverAt(store, at).client.ask(request)
    // As clients of S3 do. What it cost belongs to the request.
    for (; answer.status === 503; answer = await serverAt(store, at).client.ask(request)) {
      repeated++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expectStatus(answer, 200)
  })
}

async function spent(store: ServedStore, postmaster: number): Promise<Cost> {
  let node = 0
  for (const server of store.servers) node += await processorMs(server)
  const wall = performance.now()
  if (store.blobs === undefined) return { ...noCost, node, wall }
  return { node, database: databaseMs(postmaster), blobs: await processorMs(store.blobs), wall }
}

const minus = (after: Cost, before: Cost, count: number): Cost => ({
  node: (after.node - before.node) / count,
  database: (after.database - before.database) / count,
  blobs: (after.blobs - before.blobs) / count,
  wall: (after.wall - before.wall) / count,
})

const halfSum = (one: Cost, other: Cost): Cost => ({
  node: (one.node + other.node) / 2,
  database: (one.database + other.database) / 2,
  blobs: (one.blobs + other.blobs) / 2,
  wall: (one.wall + other.wall) / 2,
})

type Subject = (operation: Operation, count: number) => Promise<Cost>

function subjectOf(store: ServedStore, postmaster: number): Subject {
  return async ({ asking }, count) => {
    const before = await spent(store, postmaster)
    await sendAll(store, count, asking)
    return minus(await spent(store, postmaster), before, count)
  }
}

/** Of a process that puts objects, or inserts rows, as often as it is told. */
function putterOf(child: ChildProcess, postmaster: number): Subject {
  const spentThere = (node: number): Cost => ({
    ...noCost,
    node,
    database: databaseMs(postmaster),
    wall: performance.now(),
  })
  return async (_, count) => {
    const before = spentThere(0)
    child.send(count)
    const [node] = (await once(child, 'message')) as [number]
    return minus(spentThere(node), before, count)
  }
}

async function fill(store: ServedStore): Promise<void> {
  for (const path of ['/bucket', '/listed']) await sendAll(store, 1, () => ({ method: 'PUT', path }))
  await sendAll(store, objects, (at) => put(`/bucket/key-${at}`, short))
  await sendAll(store, longObjects, (at) => put(`/bucket/long-${at}`, long))
  await sendAll(store, entries, (at) => put(`/listed/some/prefix/key-${at}`, short.subarray(0, 1)))
}

/** Put objects of 4 KiB, and do nothing else. */
const putters: ReadonlySet<string> = new Set(['engine', 'inserts'])

const measured = new Map<string, Map<string, Cost[]>>()

async function measureRound(subjects: ReadonlyMap<string, Subject>, name: string, isCounted: boolean): Promise<void> {
  const operation = operations[name]
  if (operation === undefined) throw new Error(`No operation is called ${name}.`)
  const count = Math.max(2, Math.round(operation.count * Number(values.scale)))
  const order = [...subjects].filter(([subject]) => !putters.has(subject) || name === 'put-4k')
  const found = new Map<string, Cost>()
  for (const [subject, measure] of [...order, ...order.toReversed()]) {
    const cost = await measure(operation, count)
    found.set(subject, found.has(subject) ? halfSum(found.get(subject) as Cost, cost) : cost)
  }
  if (!isCounted) return
  const lines = measured.get(name) ?? new Map<string, Cost[]>()
  measured.set(name, lines)
  for (const [subject, cost] of found) lines.set(subject, [...(lines.get(subject) ?? []), cost])
}

const between = (all: readonly number[], digits: number, factor = 1): string => {
  const { min, max } = medianInterval(all)
  return `${(medianOf(all) * factor).toFixed(digits)} [${(min * factor).toFixed(digits)} .. ${(max * factor).toFixed(digits)}]`
}
const rateOf = ({ wall }: Cost): number => 1000 / wall
const micros = (costs: readonly Cost[], part: (cost: Cost) => number): string => between(costs.map(part), 0, 1000)

function report(): void {
  for (const [name, lines] of measured) {
    for (const [subject, costs] of lines)
      console.log(
        `${name.padEnd(7)} ${subject.padEnd(8)} node ${micros(costs, ({ node }) => node)}  database ${micros(costs, ({ database }) => database)}  blobs ${micros(costs, ({ blobs }) => blobs)}  all ${micros(costs, totalOf)} us  ${between(costs.map(rateOf), 0)}/s`,
      )
    for (const [ours, theirs] of [
      ['1 node', 'disk'],
      ['1 node', 'inserts'],
      ['engine', 'inserts'],
      ['2 nodes', '1 node'],
      ['3 nodes', '1 node'],
    ] as const) {
      const [one, other] = [lines.get(ours), lines.get(theirs)]
      if (one === undefined || other === undefined) continue
      const ratiosOf = (figure: (cost: Cost) => number): string =>
        between(
          one.map((cost, at) => figure(cost) / figure(other[at] as Cost)),
          2,
        )
      console.log(`${name.padEnd(7)} ${ours} / ${theirs}: ${ratiosOf(totalOf)}  rate ${ratiosOf(rateOf)}`)
    }
  }
}

/** How many events one commit has: a commit of the log changes the head once. */
async function reportGroups(names: readonly string[], database: Database): Promise<void> {
  // A session of PostgreSQL reports its statistics after a second at the latest.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  for (const schema of names) {
    const { rows } = await database.query(
      `SELECT h.seq, t.n_tup_upd AS commits FROM ${schema}.head h, pg_stat_user_tables t
        WHERE t.schemaname = '${schema}' AND t.relname = 'head'`,
    )
    const [seq, commits] = [Number(rows[0]?.['seq']), Number(rows[0]?.['commits'])]
    console.log(`commits ${schema}: ${seq} events in ${commits} commits, ${(seq / commits).toFixed(2)} each`)
  }
}

/** Bytes that one object adds to the database, by what is put. */
async function reportSizes(store: ServedStore, database: Database): Promise<void> {
  const schema = 'nodes_1'
  async function sizes(): Promise<readonly number[]> {
    await database.query(`VACUUM ${schema}.rows, ${schema}.events`)
    const { rows } = await database.query(
      `SELECT (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('${schema}.events')) AS events, pg_total_relation_size('${schema}.rows') AS rows,
        (SELECT count(*) FROM ${schema}.rows) AS count`,
    )
    return [Number(rows[0]?.['events']), Number(rows[0]?.['rows']), Number(rows[0]?.['count'])]
  }
  for (const [what, body] of [
    ['1 B', short.subarray(0, 1)],
    ['4 KiB', short],
    ['64 KiB', long.subarray(0, 65_536)],
  ] as const) {
    const count = Math.max(2, Math.round(entries / (body.length > 32_768 ? 4 : 1)))
    const before = await sizes()
    await sendAll(store, count, () => put(`/bucket/${newKey()}`, body))
    const added = (await sizes()).map((size, at) => (size - (before[at] as number)) / count)
    const [events = 0, rows = 0, number = 0] = added
    console.log(
      `bytes   an object of ${what}: events ${events.toFixed(0)}  rows ${rows.toFixed(0)} in ${number.toFixed(1)}`,
    )
  }
}

async function run(database: string, directory: string, ending: (() => Promise<unknown>)[]): Promise<void> {
  const opened = await openDatabase(database)
  ending.push(() => opened.end())
  const blobs = await startBlobs(directory)
  ending.push(() => stopServer(blobs))
  const stores = new Map<string, ServedStore>([['disk', await startOnDisk(directory, width)]])
  ending.push(async () => {
    for (const { servers } of stores.values()) for (const server of servers) await stopServer(server)
  })
  for (const count of [1, 2, 3])
    stores.set(count === 1 ? '1 node' : `${count} nodes`, await startNodes(count, { database, blobs, width }))
  const subjects = new Map([...stores].map(([name, store]) => [name, subjectOf(store, opened.postmaster)]))
  const putter = async (program: string, args: readonly string[]): Promise<Subject> => {
    const child = fork(fileURLToPath(new URL(program, import.meta.url)), [...args, String(width)])
    ending.push(async () => child.kill())
    await once(child, 'message')
    return putterOf(child, opened.postmaster)
  }
  subjects.set('engine', await putter('engine-puts.js', [database, blobs.url]))
  subjects.set('inserts', await putter('grouped-inserts.js', [database]))
  for (const store of stores.values()) await fill(store)
  for (let round = 1 - warmUp; round <= rounds; round++)
    for (const name of chosen) await measureRound(subjects, name, round > 0)
  report()
  console.log(`${repeated} requests were refused with 503 and sent again`)
  await reportGroups(['nodes_1', 'nodes_2', 'nodes_3'], opened)
  await reportSizes(stores.get('1 node') as ServedStore, opened)
}

const shared = await startSharedServers()
Object.assign(process.env, { PGPASSWORD: shared.env['PGPASSWORD'] })
const directory = await mkdtemp(join(tmpdir(), 'varve-nodes-'))
const ending: (() => Promise<unknown>)[] = []
try {
  await run(shared.env['VARVE_POSTGRES'] as string, directory, ending)
} finally {
  for (const end of ending.toReversed()) await end()
  await shared.stop()
  await rm(directory, { recursive: true, force: true })
}
