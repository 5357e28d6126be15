/**
 * A node of a store with a long log in PostgreSQL: how long it takes to start and to catch up, what a listing of all keys costs, how long
 * views are computed again, and how many bytes the database takes:
 *
 *     npm run suite bench-large-nodes -- [--events 1000000] [--follow 100000,1000000] [--rounds 3]
 *         [--steps open,list,follow,rebuild]
 *
 * A store in a directory makes the log, and the database gets its commits by COPY. Processor time is that of the node and of the
 * database, each by itself; the memory is the most of the node, VmHWM. `TMPDIR` says where the data is: about 0.8 GiB for each million
 * events, and 1.6 GiB while views are computed again. Starts PostgreSQL, which must be installed; Linux only.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bucket, keyAt, type LargeStore, openLargeStore, prefixes } from '../lib/large-store.ts'
import { inFlight, medianOf } from '../lib/measure.ts'
import { costOf, forgetPeak, peakOf, printCost, type WorkCost } from '../lib/node-costs.ts'
import { type Database, openDatabase } from '../lib/node-database.ts'
import {
  databaseMs,
  processorMs,
  type Server,
  startBlobs,
  startNodes,
  startOnDisk,
  stopServer,
} from '../lib/node-stores.ts'
import { startSharedServers } from '../lib/shared-servers.ts'
import { countOf, expectStatus } from '../src/http/s3-client.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    follow: { type: 'string', default: '100000,1000000' },
    rounds: { type: 'string', default: '3' },
    steps: { type: 'string', default: 'open,list,follow,rebuild' },
  },
})
const rounds = Number(values.rounds)
const steps = new Set(values.steps.split(','))
const schema = 'large'
const pageKeys = 1000
const listedMax = 1_000_000
/** Requests that wait for a node while it catches up. */
const waiting = 12
const witness = `/blobs/${schema}/varve-witness.json`

interface Place {
  readonly address: string
  readonly database: Database
  readonly blobs: Server
}

async function startNode({ address, blobs }: Place, name = schema): Promise<Server> {
  const { servers } = await startNodes(1, { database: address, blobs, width: waiting, name })
  return servers[0] as Server
}

const ask = async (server: Server, path: string, query = '') =>
  expectStatus(await server.client.ask({ method: 'GET', path, query }), 200)

/** From the start of the process to its first answer. */
async function opening(place: Place, request: () => string, name?: string): Promise<WorkCost> {
  const before = databaseMs(place.database.postmaster)
  const begun = performance.now()
  const node = await startNode(place, name)
  try {
    await ask(node, request())
    return {
      wallMs: performance.now() - begun,
      nodeMs: await processorMs(node),
      databaseMs: databaseMs(place.database.postmaster) - before,
      peakMiB: peakOf(node),
    }
  } finally {
    await stopServer(node)
  }
}

function median(costs: readonly WorkCost[]): WorkCost {
  const of = (part: keyof WorkCost): number => medianOf(costs.map((cost) => cost[part]))
  return { wallMs: of('wallMs'), nodeMs: of('nodeMs'), databaseMs: of('databaseMs'), peakMiB: of('peakMiB') }
}

async function measureOpenings(place: Place, store: LargeStore): Promise<void> {
  const kinds = { 'an empty store': [], 'with its witness': [], 'without a witness': [] } as Record<string, WorkCost[]>
  for (let round = 0; round <= rounds; round++)
    for (const [kind, costs] of Object.entries(kinds)) {
      const isEmpty = kind === 'an empty store'
      if (kind === 'without a witness') await place.blobs.client.ask({ method: 'DELETE', path: witness })
      // The node before has written the witness when it ended.
      const cost = await opening(place, () => (isEmpty ? '/' : lastObject(store)), isEmpty ? 'nothing' : schema)
      if (round > 0) costs.push(cost)
    }
  for (const [kind, costs] of Object.entries(kinds)) printCost(`open ${kind}`, median(costs))
}

const lastObject = ({ seq }: LargeStore): string => `/${bucket}/${keyAt(seq - 1)}`

/** A node that stood still while others wrote: all requests that wait for it are answered, and see the last object. */
async function measureFollowing(place: Place, store: LargeStore): Promise<void> {
  const node = await startNode(place)
  try {
    for (const count of values.follow.split(',').map(Number)) {
      await ask(node, lastObject(store))
      node.child.kill('SIGSTOP')
      await store.growTo(store.seq + count)
      // The database writes what it got, so that the node does not pay for it.
      await place.database.query('CHECKPOINT')
      const before = databaseMs(place.database.postmaster)
      forgetPeak(node)
      const begun = performance.now()
      node.child.kill('SIGCONT')
      const nodeBefore = await processorMs(node)
      await inFlight(waiting, waiting, () => ask(node, lastObject(store)))
      const cost = {
        wallMs: performance.now() - begun,
        nodeMs: (await processorMs(node)) - nodeBefore,
        databaseMs: databaseMs(place.database.postmaster) - before,
        peakMiB: peakOf(node),
      }
      printCost(`follow ${count} events`, cost)
      printCost(`follow ${count} events, each`, cost, count)
    }
  } finally {
    node.child.kill('SIGCONT')
    await stopServer(node)
  }
}

/** Page after page, of a million keys at most. Resolves with the number of keys. */
async function listPages(server: Server): Promise<number> {
  let keys = 0
  for (let more = ''; ; ) {
    const { body } = await ask(server, `/${bucket}`, `${more}list-type=2&max-keys=${pageKeys}`)
    keys += countOf(body, '<Key>')
    const token = /<NextContinuationToken>([^<]+)</.exec(body.toString())?.[1]
    if (token === undefined || keys >= listedMax) return keys
    more = `continuation-token=${encodeURIComponent(token)}&`
  }
}

async function measureListings(what: string, server: Server, postmaster: number | undefined): Promise<void> {
  let keys = 0
  const whole = await costOf(server, postmaster, async () => void (keys = await listPages(server)))
  printCost(`list ${keys} keys, ${what}, each page`, whole, Math.ceil(keys / pageKeys))
  const lastKeys = `${String(prefixes - 1).padStart(4, '0')}/`
  for (const [which, query] of [
    ['the first page', `list-type=2&max-keys=${pageKeys}`],
    ['the last page', `list-type=2&max-keys=${pageKeys}&start-after=${encodeURIComponent(lastKeys)}`],
    [`${prefixes} common prefixes`, `delimiter=%2F&list-type=2&max-keys=${pageKeys}`],
  ] as const) {
    const pages = 10
    // The first one fills the caches.
    await ask(server, `/${bucket}`, query)
    const cost = await costOf(server, postmaster, () => inFlight(1, pages, () => ask(server, `/${bucket}`, query)))
    printCost(`list ${which}, ${what}`, cost, pages)
  }
}

async function measureRebuild({ address, database }: Place, events: number): Promise<void> {
  const child = fork(fileURLToPath(new URL('rebuild-node.js', import.meta.url)), [address, schema])
  const before = databaseMs(database.postmaster)
  const begun = performance.now()
  const [{ nodeMs, peakMiB }] = (await once(child, 'message')) as [Pick<WorkCost, 'nodeMs' | 'peakMiB'>]
  const cost = {
    wallMs: performance.now() - begun,
    nodeMs,
    databaseMs: databaseMs(database.postmaster) - before,
    peakMiB,
  }
  printCost('views computed again', cost)
  printCost('views computed again, each event', cost, events)
}

/** After a vacuum, which would come by itself. */
async function reportSizes({ database }: Place, events: number): Promise<void> {
  await database.query(`VACUUM ANALYZE ${schema}.rows`)
  await database.query(`VACUUM ANALYZE ${schema}.events`)
  const { rows } = await database.query(
    `SELECT sum(pg_table_size(relid)) AS events, sum(pg_indexes_size(relid)) AS of_events,
      pg_table_size('${schema}.rows') AS rows, pg_indexes_size('${schema}.rows') AS of_rows
      FROM pg_partition_tree('${schema}.events')`,
  )
  const each = (name: string): string => (Number(rows[0]?.[name]) / events).toFixed(0)
  console.log(
    `bytes of an event ${each('events')} and ${each('of_events')} in the index, of the rows of its object ${each('rows')} and ${each('of_rows')}`,
  )
}

async function measure(place: Place, directory: string, events: number): Promise<void> {
  const { address, database } = place
  const begun = performance.now()
  const store = await openLargeStore(join(directory, 'store'), { address, schema, client: database })
  try {
    await store.growTo(events)
    console.log(`${store.seq} events made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
    if (steps.has('open')) await measureOpenings(place, store)
    if (steps.has('list')) {
      const node = await startNode(place)
      await measureListings('one node', node, database.postmaster)
      await stopServer(node)
    }
    await reportSizes(place, store.seq)
    if (steps.has('follow')) await measureFollowing(place, store)
    if (steps.has('rebuild')) {
      await measureRebuild(place, store.seq)
      await reportSizes(place, store.seq)
    }
  } finally {
    await store.close()
  }
  if (!steps.has('list')) return
  const { servers } = await startOnDisk(directory, waiting)
  for (const server of servers) {
    await measureListings('a directory', server, undefined)
    await stopServer(server)
  }
}

const shared = await startSharedServers()
Object.assign(process.env, { PGPASSWORD: shared.env['PGPASSWORD'] })
try {
  for (const events of values.events.split(',').map(Number)) {
    const directory = await mkdtemp(join(tmpdir(), 'varve-large-'))
    const address = shared.env['VARVE_POSTGRES'] as string
    const database = await openDatabase(address)
    const blobs = await startBlobs(directory)
    try {
      await measure({ address, database, blobs }, directory, events)
    } finally {
      await stopServer(blobs)
      await database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await database.query('DROP SCHEMA IF EXISTS nothing CASCADE')
      await database.end()
      await rm(directory, { recursive: true, force: true })
    }
  }
} finally {
  await shared.stop()
}
