/**
 * A cluster whose database has standbys, under load, of which a part fails, again and again. VARVE_REPLICATED_FAULTS sets how often
 * (`npm run suite replicated-faults`: 100). It needs PostgreSQL, Patroni, etcd and HAProxy; without the number, it does not run.
 */
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { loadPg, rowsOf } from '#adapters/postgres-journal/pg-client'
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start, varve } from '../cli/run-varve.ts'
import { randomFrom } from '../support/random.ts'
import { type Cluster, missingForReplication, startReplicatedCluster } from './cluster.ts'
import { type Databases, databasesOf } from './databases.ts'
import type { Links } from './links.ts'
import { bucket, etagOf, failed, readOn, Record, RecordingClient, s3Client, writeOn } from './recording-client.ts'
import { type Fault, faults, type Scene } from './replicated-faults.ts'

const rounds = Number(process.env['VARVE_REPLICATED_FAULTS'] ?? 0)
const seed = Number(process.env['VARVE_SEED'] ?? 1)
/** The fault of the first round. */
const first = Number(process.env['VARVE_FAULT_FIRST'] ?? 0)
/** The rounds end earlier after so long. */
const minutes = Number(process.env['VARVE_FAULT_MINUTES'] ?? Infinity)
const chosen = process.env['VARVE_FAULT']
const writersCount = 4
const readersCount = 2
const waitMs = 90_000
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const missing = [...(noPostgres === undefined ? [] : ['PostgreSQL']), ...missingForReplication()]
const skipped = rounds === 0 || missing.length > 0
if (rounds > 0 && skipped) console.log(`Skipped: not installed: ${missing.join(', ')}.`)

// Without these programs there is no replicated database.
describe.skipIf(skipped)('a replicated cluster under load', () => {
  const random = randomFrom(seed)
  const record = new Record()
  let cluster: Cluster & { readonly links: Links }
  let nodes: readonly RecordingClient[]
  let balanced: readonly RecordingClient[]
  let isEnding = false

  const nodeUrl = (name: string) => `http://127.0.0.1:${cluster.plan.ports[name]}`
  const keysAt = (url: string) => ({
    VARVE_ACCESS_KEY_ID: cluster.credentials.accessKeyId,
    VARVE_SECRET_ACCESS_KEY: cluster.credentials.secretAccessKey,
    VARVE_ENDPOINT: url,
  })

  beforeAll(async () => {
    cluster = await startReplicatedCluster()
    const clientAt = (url: string) => new RecordingClient(url, cluster.credentials, record)
    nodes = cluster.plan.nodes.map((name) => clientAt(nodeUrl(name)))
    balanced = Array.from({ length: writersCount }, () => clientAt(cluster.url))
    const client = s3Client(cluster.url, cluster.credentials)
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  }, 180_000)
  afterAll(async () => {
    for (const client of [...(nodes ?? []), ...(balanced ?? [])]) client.close()
    await cluster?.stop()
  }, 180_000)

  async function until<T>(what: string, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
    for (const end = performance.now() + waitMs; performance.now() < end; await delay(20)) {
      const found = await find()
      if (found !== undefined) return found
    }
    throw new Error(`This did not happen in ${waitMs} ms: ${what}.`)
  }

  const whole = (): Promise<Databases> => until('a primary and two standbys', () => databasesOf(cluster))

  /** Each node takes writes again. */
  async function untilNodesWrite(round: number): Promise<void> {
    for (const [i, client] of nodes.entries()) {
      let attempt = 0
      await until(`a write through ${cluster.plan.nodes[i]}`, async () =>
        (await client.write(`once/node-${i}/${round}-${attempt++}`, true)) ? true : undefined,
      )
    }
  }

  /** Erases old bytes through a node, which holds a lease meanwhile. */
  async function untilLease(node: string): Promise<void> {
    start(['erase', `s3://${bucket}/hot/`, '--recursive', '--yes'], keysAt(nodeUrl(node)))
    const { Pool } = await loadPg()
    const { ports, password } = cluster.plan
    const pool = new Pool({ host: '127.0.0.1', port: ports['postgres'], user: 'varve', database: 'postgres', password })
    pool.on('error', () => undefined)
    const client = await pool.connect()
    client.on('error', () => undefined)
    try {
      const leases = `SELECT encode(value, 'escape') FROM varve.rows WHERE key >= '\\x92' AND key < '\\x93'`
      for (const end = performance.now() + 5000; performance.now() < end; await delay(2)) {
        const rows = await rowsOf(client, leases)
        if (rows.some(([text]) => text?.includes('"holder":"'))) return
      }
      console.log('No lease was held.')
    } finally {
      client.release(true)
      await pool.end()
    }
  }

  /** All that was acknowledged since the last time, through two nodes: at least one is not the one that wrote it. */
  async function check(keys: readonly string[]): Promise<void> {
    const wanted = keys.flatMap((key) => {
      const first = random.below(nodes.length)
      return [first, (first + 1) % nodes.length].map((at) => ({ key, node: nodes[at] as RecordingClient }))
    })
    const read = async (): Promise<void> => {
      for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
        const { key, node } = next
        const value = await until(`an answer for ${key}`, async () => {
          const found = await node.read(key)
          return found === failed ? undefined : { found }
        })
        if (value.found !== record.once.get(key)) record.problems.push(`${key} is lost: ${value.found}`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, read))
  }

  async function strike(fault: Fault, scene: Scene): Promise<{ readonly took: number; readonly heal: number }> {
    await fault.strike(scene)
    const struck = performance.now()
    const goOn = until('a write', () => (record.lastBegun > struck ? true : undefined)).then(
      () => performance.now() - struck,
    )
    const [min, max] = fault.lasts
    await delay(random.between(min, max))
    const began = performance.now()
    cluster.links.heal()
    await fault.heal?.(scene)
    const heal = performance.now() - began
    return { took: await goOn, heal }
  }

  it(
    `loses nothing, and shows nothing old, in ${rounds} rounds`,
    async () => {
      const working = { random, isEnding: () => isEnding }
      const writing = balanced.map((client, i) => writeOn(client, { ...working, name: `w${i}` }))
      const reading = Array.from({ length: readersCount }, () => readOn(nodes, working))
      const times = new Map<string, { took: number; settled: number }[]>()
      const checked = new Set<string>()
      const endsAt = performance.now() + minutes * 60_000
      try {
        let databases = await whole()
        for (let round = 0; round < rounds && performance.now() < endsAt; round++) {
          const fault = faults.find(({ name }) => name === chosen) ?? (faults[(first + round) % faults.length] as Fault)
          const scene = {
            cluster,
            links: cluster.links,
            databases,
            node: random.pick(cluster.plan.nodes),
            random,
            untilLease,
          }
          const { took, heal } = await strike(fault, scene)
          const healed = performance.now()
          databases = await whole()
          const replicated = performance.now() - healed
          await untilNodesWrite(round)
          const settled = performance.now() - healed
          times.set(fault.name, [...(times.get(fault.name) ?? []), { took, settled }])
          const keys = [...record.once.keys()].filter((key) => !checked.has(key))
          await check(keys)
          for (const key of keys) checked.add(key)
          const problems = record.problems.length + record.history.problems().length
          const ms = [took, heal, replicated, settled].map(Math.round).join(', ')
          console.log(`${round + 1} ${fault.name}: ${ms} ms; ${keys.length} keys checked, ${problems} problems`)
        }
      } finally {
        isEnding = true
        await Promise.all([...writing, ...reading])
        report(times)
      }
      expect([...record.problems, ...record.history.problems()]).toEqual([])
      await expectAllListed()
      // A node that has just opened the store knows nothing from before.
      for (const name of cluster.plan.nodes) await cluster.kill(name)
      await cluster.start('node-1')
      expect(await varve(['verify'], keysAt(nodeUrl('node-1')))).toMatchObject({ status: 0 })
      console.log('verify found nothing.')
    },
    120_000 + rounds * 120_000,
  )

  /** The ETag is the MD5 of the bytes. */
  async function expectAllListed(): Promise<void> {
    const client = s3Client(nodeUrl('node-1'), cluster.credentials)
    const found = new Map<string, string | undefined>()
    let after: string | undefined
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: 'once/',
          ...(after !== undefined && { ContinuationToken: after }),
        }),
      )
      for (const { Key = '', ETag } of page.Contents ?? []) found.set(Key, ETag)
      after = page.NextContinuationToken
    } while (after !== undefined)
    client.destroy()
    expect([...record.once].filter(([key, value]) => found.get(key) !== etagOf(value))).toEqual([])
  }

  function report(times: ReadonlyMap<string, readonly { took: number; settled: number }[]>): void {
    const { acknowledged, unanswered, once, history } = record
    console.log(
      `${acknowledged} acknowledged writes (${once.size} keys), ${unanswered} without answer, ${history.reads} reads.`,
    )
    const all = [...times.values()].flat()
    for (const [name, each] of [...times, ['all', all] as const]) {
      const took = each.map((time) => time.took).toSorted((a, b) => a - b)
      const [median = 0, worst = 0] = [took[took.length >> 1], took.at(-1)]
      console.log(`| ${name} | ${each.length} | ${(median / 1000).toFixed(2)} s | ${(worst / 1000).toFixed(2)} s |`)
    }
  }
})
