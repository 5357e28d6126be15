/**
 * A real server under load for a chosen time, with faults. The clients run in this process, and `varve serve` runs in
 * another, which is killed, started again and made to fail (see `disruptor.ts`). Every byte that comes back is compared
 * with what was put. What was acknowledged must be there, after every fault and at the end. Nothing but the log may
 * grow.
 */
import { rm, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openStore } from 'varve'
import { TestService } from '../bounds/support/test-service.ts'
import { Disruptor } from './disruptor.ts'
import { buckets, Tally } from './oracle.ts'
import { Pace } from './pace.ts'
import { randomFrom } from '../support/random.ts'
import { contentsOf, Samples } from './samples.ts'
import { Server } from './server.ts'
import { Worker } from './worker.ts'

export interface SoakOptions {
  /** Duration of the load, in seconds. Checking the result takes a little longer. */
  readonly seconds: number
  readonly clients: number
  /** Processor cores that clients and server take together. */
  readonly cores: number
  readonly seed: number
  /** Where the store is, and the samples: emptied first. */
  readonly directory: string
  readonly onLine: (line: string) => void
}

export interface Outcome {
  readonly tally: Tally
  readonly samples: Samples
  /** From the end of each fault to the next acknowledged write, in milliseconds. */
  readonly recoveries: readonly number[]
  /** Faults by name, and the failures they really made by call. */
  readonly faults: ReadonlyMap<string, number>
  readonly hits: Readonly<Record<string, number>>
  readonly lives: number
  readonly seconds: number
  /** At the end, with the load gone and the server stopped. */
  readonly left: {
    readonly tmpFiles: number
    readonly handles: number
    readonly orphans: number
    readonly blobs: number
    readonly blobsExpected: number
    readonly divergences: number
    readonly events: number
  }
}

/** Calm at the end, in which nothing may be left behind by clients that went away. */
const quietMs = 1500

export async function soak(options: SoakOptions): Promise<Outcome> {
  const { seconds, directory, seed, onLine } = options
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  const store = join(directory, 'store')
  const tally = new Tally((what) => onLine(`WRONG ${what}`))
  const service = new TestService({ port: 0 }, { connections: 64 })
  const server = new Server(store, service, onLine)
  const samples = new Samples(join(directory, 'samples.csv'), store)
  await server.start()
  await samples.begin()
  await makeBuckets(service)
  const end = Date.now() + seconds * 1000
  const disruptor = new Disruptor({
    server,
    isTakingWrites: () => isTakingWrites(service),
    accuse: (what) => tally.accuse(what),
    random: randomFrom(seed),
    everyMs: Math.min(8000, seconds * 100),
    killEveryMs: Math.min(180_000, seconds * 250),
    lastKillAt: Date.now() + seconds * 1000 * (1 / 3),
    onLine,
  })
  const workers = Array.from({ length: options.clients }, (_, id) => {
    const random = randomFrom(seed + id + 1)
    return new Worker({ id, service, tally, random, isRough: () => disruptor.isRough })
  })
  const pace = new Pace(server, options.cores)
  const measuring = every(Math.min(10_000, seconds * 50), () => samples.take(server, tally))
  const pacing = every(1000, () => pace.adjust())
  const disrupting = disruptor.run()
  await Promise.all(workers.map((worker) => work(worker, pace, end)))
  disruptor.stop()
  await Promise.all([disrupting, measuring.stop(), pacing.stop()])
  onLine('the load is over: settling every doubt, and reading everything back')
  const blobsExpected = await audit(workers, service, tally)
  await delay(quietMs)
  await samples.take(server, tally)
  const { hits } = server
  const handles = samples.of('handles').at(-1)?.value ?? Number.NaN
  const ended = await server.end('SIGTERM')
  if (ended !== 0) tally.accuse(`the server ended with ${ended}: ${server.complaints}`)
  service.close()
  const left = { handles, blobsExpected, ...(await lookInside(store)) }
  return {
    tally,
    samples,
    recoveries: disruptor.recoveries,
    faults: disruptor.counts,
    hits,
    lives: server.lives,
    seconds,
    left,
  }
}

async function makeBuckets(service: TestService): Promise<void> {
  for (const name of Object.values(buckets)) await service.expect(`PUT /${name}`)
  const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  await service.expect(`PUT /${buckets.versioned}?versioning=`, { body: [Buffer.from(enabled)] })
}

/** Whether a write is acknowledged, inline and as a blob. */
async function isTakingWrites(service: TestService): Promise<boolean> {
  try {
    for (const size of [10, 40_000])
      await service.expect(`PUT /${buckets.plain}/probe`, { body: [new Uint8Array(size)] })
    return true
  } catch {
    return false
  }
}

async function work(worker: Worker, pace: Pace, end: number): Promise<void> {
  while (Date.now() < end) {
    await worker.step()
    await pace.pause()
  }
}

function every(ms: number, work: () => Promise<void>): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const { signal } = stopped
  const running = (async () => {
    for (;;) {
      await delay(ms, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      await work()
    }
  })()
  return {
    stop() {
      stopped.abort()
      return running
    },
  }
}

const attemptsMax = 20

/** Reads every key and version back; resolves with how many blobs the store should have. */
async function audit(workers: readonly Worker[], service: TestService, tally: Tally): Promise<number> {
  await abortUploads(service)
  await service.expect(`DELETE /${buckets.plain}/probe`)
  const contents = new Set<string>()
  for (const worker of workers) {
    for (const cell of worker.cells) {
      await settled(() => worker.settle(cell), cell.key, tally)
      const { known } = cell
      // Copies share what they copied; two parts make a large one.
      if (known !== undefined && known.size > 32 * 1024) {
        const parts = known.size > 5 * 1024 * 1024 ? 2 : 1
        for (let part = 0; part < parts; part++) contents.add(`${known.number}/${part}`)
      }
    }
    for (const cell of worker.versions.cells) {
      await settled(() => worker.versions.settle(cell), cell.key, tally)
      for (const [id, body] of cell.versions) {
        await worker.versions.check(cell, id)
        if (body.size > 32 * 1024) contents.add(`${body.number}`)
      }
    }
  }
  return contents.size
}

async function settled(settle: () => Promise<boolean>, key: string, tally: Tally): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (await settle()) return
    await delay(500)
  }
  tally.accuse(`${key}: could not be read at the end`)
}

/** What clients began and a fault kept them from aborting. */
async function abortUploads(service: TestService): Promise<void> {
  const listing = await service.expect(`GET /${buckets.plain}?uploads=`)
  const found = listing.body.toString().matchAll(/<Key>(.*?)<\/Key>.*?<UploadId>(.*?)<\/UploadId>/gs)
  for (const [, key, id] of found) await service.expect(`DELETE /${buckets.plain}/${key}?uploadId=${id}`)
}

/** The store opened by itself: what is there beside what should be, and whether all of it agrees. */
async function lookInside(directory: string) {
  const tmpFiles = (await readdir(join(directory, 'tmp'))).length
  const store = await openStore(directory, { create: false, sweepOrphans: false, sweepEveryMs: 0 })
  try {
    const { orphans } = await store.sweep({ orphans: true })
    const { divergences } = await store.verify()
    const { files: blobs } = await contentsOf(join(directory, 'blobs'))
    return { tmpFiles, orphans, blobs, divergences: divergences.length, events: store.seq }
  } finally {
    await store.close()
  }
}
