/**
 * A cluster under load, of which one process is killed or stands still, again and again: what was acknowledged is there, reads show nothing
 * else, and writes go on. VARVE_NODE_FAULTS sets how often (`npm run suite node-faults`: 100).
 */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { varve } from '../cli/run-varve.ts'
import { randomFrom } from '../support/random.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { ClusterWriter } from './cluster-writer.ts'

const rounds = Number(process.env['VARVE_NODE_FAULTS'] ?? 4)
const seed = Number(process.env['VARVE_SEED'] ?? 1)
const writersCount = 4
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

type Fault = readonly [kind: 'kill' | 'pause', name: string]

/** The first ones are in the short form. */
const faults: readonly Fault[] = [
  ['kill', 'node-1'],
  ['kill', 'postgres'],
  ['kill', 'blobs'],
  ['pause', 'node-2'],
  ['kill', 'node-3'],
  ['pause', 'blobs'],
]

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing that nodes could share.
describe.skipIf(noPostgres !== undefined)('a cluster under load', () => {
  const random = randomFrom(seed)
  let cluster: Cluster
  let writers: readonly ClusterWriter[]
  let isEnding = false
  beforeAll(async () => {
    cluster = await startCluster()
    const client = new S3Client({
      endpoint: cluster.url,
      region: 'eu',
      forcePathStyle: true,
      credentials: cluster.credentials,
    })
    await client.send(new CreateBucketCommand({ Bucket: 'box' }))
    client.destroy()
    writers = Array.from({ length: writersCount }, (_, i) => new ClusterWriter(cluster, `w${i}`, randomFrom(seed + i)))
  }, 120_000)
  afterAll(() => cluster?.stop(), 120_000)

  const acknowledged = (): number => writers.reduce((sum, writer) => sum + writer.acknowledgements, 0)

  /** Resolves with the milliseconds until a request that began later was acknowledged, and when some more were. */
  async function untilWritesGoOn(): Promise<number> {
    const [began, before] = [performance.now(), acknowledged()]
    while (writers.every(({ lastBegun }) => lastBegun < began)) await waiting(began)
    const took = performance.now() - began
    while (acknowledged() < before + 2 * writersCount) await waiting(began)
    return took
  }

  async function waiting(began: number): Promise<void> {
    if (performance.now() - began > 120_000) throw new Error('Writes do not go on.')
    await delay(10)
  }

  async function strike([kind, name]: Fault): Promise<number> {
    if (kind === 'kill') {
      await cluster.kill(name)
      const goOn = untilWritesGoOn()
      await delay(random.below(1500))
      await cluster.start(name)
      return goOn
    }
    cluster.pause(name)
    const goOn = untilWritesGoOn()
    // Some last longer than the lease of a node.
    await delay(random.below(name === 'blobs' ? 4000 : rounds > faults.length ? 20_000 : 3000))
    cluster.resume(name)
    return goOn
  }

  it(
    `loses nothing that it acknowledged, and goes on, in ${rounds} rounds`,
    async () => {
      const writing = writers.map(async (writer) => {
        while (!isEnding) await writer.step()
      })
      const times: Record<string, number[]> = {}
      try {
        for (let round = 0; round < rounds; round++) {
          const fault = faults[round] ?? random.pick(faults)
          const took = await strike(fault)
          ;(times[fault.join(' ')] ??= []).push(Math.round(took))
          await delay(random.below(500))
        }
      } finally {
        isEnding = true
        await Promise.all(writing)
      }
      const checked = (await Promise.all(writers.map((writer) => writer.checkAll()))).reduce((a, b) => a + b, 0)
      expect(writers.flatMap(({ problems }) => problems)).toEqual([])
      const keys = {
        VARVE_ACCESS_KEY_ID: cluster.credentials.accessKeyId,
        VARVE_SECRET_ACCESS_KEY: cluster.credentials.secretAccessKey,
      }
      expect(await varve(['verify'], { ...keys, VARVE_ENDPOINT: cluster.url })).toMatchObject({ status: 0 })
      const failures = writers.reduce((sum, writer) => sum + writer.failures, 0)
      console.log(`${acknowledged()} acknowledged writes, ${failures} not, ${checked} objects as they must be.`)
      for (const [fault, all] of Object.entries(times)) {
        const sorted = all.toSorted((a, b) => a - b)
        console.log(
          `${fault}: ${all.length} times, writes went on after ${sorted[sorted.length >> 1]} ms, at most ${sorted.at(-1)}`,
        )
      }
      for (const writer of writers) writer.close()
    },
    120_000 + rounds * 60_000,
  )
})
