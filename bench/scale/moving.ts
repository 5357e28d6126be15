/**
 * Moves a store from a directory to PostgreSQL and a server for blobs while clients write, and back into a new directory:
 *
 *     npm run suite bench-moving -- [--objects 10000] [--writers 4] [--rest 20] [--more 50] [--dir DIR]
 *
 * On the way there the server of the directory moves its own store; on the way back two nodes write while `migrate` copies, and a server of
 * the new directory is started after it. Each time it prints how long the move took, how long writes waited, the slowest write as clients
 * see it, with repeated requests, and the hash of the last event in both places. At the end it reads all that clients were told is written
 * (`lost`), counts all objects, and reads the bytes of some. Ends with 1 if anything is lost or differs. `--rest`: how many
 * milliseconds each writer rests after a write. `--more`: how many objects each writer writes between two steps. Starts PostgreSQL, which must be installed; Linux only.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openStore } from 'varve'
import { inFlight } from '../lib/measure.ts'
import { MovingWriters } from '../lib/moving-writers.ts'
import { startSharedServers } from '../lib/shared-servers.ts'
import { benchCredentials } from '../src/basics/credentials.ts'
import { expectStatus, s3Client } from '../src/http/s3-client.ts'

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '10000' },
    writers: { type: 'string', default: '4' },
    rest: { type: 'string', default: '20' },
    more: { type: 'string', default: '50' },
    dir: { type: 'string', default: tmpdir() },
  },
})
const objects = Number(values.objects)
const more = Number(values.more)
const bucket = 'moved'
const looked = 500
const command = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))

type Variables = Readonly<Record<string, string>>

const rootKeys: Variables = {
  VARVE_ACCESS_KEY_ID: benchCredentials.accessKeyId,
  VARVE_SECRET_ACCESS_KEY: benchCredentials.secretAccessKey,
}

const keyOf = (i: number): string => `${i % 100}/${String(i).padStart(8, '0')}`

function bodyOf(i: number): string {
  const line = `object ${i};`
  const size = i % 1000 === 0 ? 300_000 : i % 100 === 1 ? 40_000 : 200
  return line.repeat(Math.ceil(size / line.length))
}

async function make(dir: string): Promise<void> {
  const store = await openStore(dir, { sweepEveryMs: 0 })
  await store.buckets.create(bucket)
  await inFlight(256, objects, (i) => store.objects.put(bucket, keyOf(i), bodyOf(i)))
  await store.close()
}

interface Running {
  readonly url: string
  stop(): Promise<void>
}

async function serve(args: readonly string[], env: Variables): Promise<Running> {
  const child = varve(['serve', ...args, '--port', '0', '--json', '--region', benchCredentials.region], env)
  let shown = ''
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    shown += String(chunk)
    const [, url] = /"kind":"ready".*?"url":"(http:[^"]+)"/.exec(shown) ?? []
    if (url === undefined) continue
    child.stdout?.resume()
    return { url, stop: () => stopped(child) }
  }
  throw new Error('A server ended before it was ready.')
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
}

function varve(args: readonly string[], env: Variables): ChildProcess {
  const all = { ...process.env, ...env, ...rootKeys }
  return spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: all })
}

async function done(args: readonly string[], env: Variables): Promise<string> {
  const child = varve(args, env)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let shown = ''
  for await (const chunk of child.stdout as NodeJS.ReadableStream) shown += String(chunk)
  const code = await ended
  if (code !== 0) throw new Error(`varve ${args[0]} ended with ${code}.`)
  return shown
}

interface Report {
  readonly kind: string
  readonly events: number
  readonly blobs: number
  readonly bytes: number
  readonly head: number
  readonly hashes: { readonly from: string; readonly into: string }
  readonly pauseMs: number
}

/** Whether the hashes are the same. `goOn`: work until clients can write in the other place. */
async function move(
  name: string,
  args: readonly string[],
  { env, writers, goOn }: { readonly env: Variables; readonly writers: MovingWriters; goOn(): Promise<void> },
): Promise<boolean> {
  const repeated = writers.repeated
  writers.takeSlowestMs()
  const began = performance.now()
  const { kind, events, blobs, bytes, head, hashes, pauseMs } = JSON.parse(await done(args, env)) as Report
  const seconds = (performance.now() - began) / 1000
  await goOn()
  await writers.goOn(more)
  const isSame = kind === 'moved' && hashes.from !== '' && hashes.from === hashes.into
  console.log(
    `${name}: ${kind} in ${seconds.toFixed(1)} s, ${events} events, ${blobs} blobs and ${bytes} bytes; writes waited ${pauseMs} ms, ` +
      `the slowest took ${Math.round(writers.takeSlowestMs())} ms, ${writers.repeated - repeated} requests were repeated`,
  )
  console.log(
    `  the hash of event ${head} is ${hashes.from} before and ${hashes.into} after: ${isSame ? 'equal' : 'DIFFERENT'}`,
  )
  return isSame
}

/** @returns what is wrong in the last place */
async function faults(dir: string, written: number): Promise<readonly string[]> {
  const store = await openStore(dir, { sweepEveryMs: 0, sweepOrphans: false })
  try {
    const wrong: string[] = []
    let count = 0
    for await (const _ of store.objects.list(bucket)) count++
    // What was not acknowledged when the writers stopped may be there.
    if (count < objects + written || count > objects + written + Number(values.writers))
      wrong.push(`${count} objects are listed`)
    for (let i = 0; i < objects; i += Math.max(1, Math.floor(objects / looked))) {
      const text = await (await store.objects.get(bucket, keyOf(i))).text()
      if (text !== bodyOf(i)) wrong.push(`${keyOf(i)} has other bytes`)
    }
    return wrong
  } finally {
    await store.close()
  }
}

async function makeBlobs({ VARVE_S3_BLOBS = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' }: Variables) {
  const keys = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    region: benchCredentials.region,
  }
  const client = await s3Client(VARVE_S3_BLOBS, keys, 1)
  expectStatus(await client.ask({ method: 'PUT', path: '/moving' }), 200)
  client.close()
}

interface Scene {
  readonly env: Variables
  /** The folder of the directories. */
  readonly scratch: string
  readonly ring: readonly string[]
  readonly journal: string
  readonly blobs: string
  readonly running: Running[]
  readonly writers: MovingWriters
}

async function setScene(scratch: string, env: Variables): Promise<Scene> {
  const began = performance.now()
  await make(join(scratch, 'store'))
  console.log(`${objects} objects put in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  const ring = ['--keyring', join(scratch, 'keyring.json')]
  await done(['keys', 'create', ring[1] as string], env)
  const { VARVE_POSTGRES: journal = '', VARVE_S3_BLOBS: endpoint = '' } = env
  const blobs = `s3://moving/store?region=${benchCredentials.region}&store=store&endpoint=${encodeURIComponent(endpoint)}`
  const server = await serve([join(scratch, 'store'), ...ring], env)
  const writers = new MovingWriters([server.url], { width: Number(values.writers), restMs: Number(values.rest) })
  return { env, scratch, ring, journal, blobs, running: [server], writers }
}

async function moveThere({ env, ring, journal, blobs, running, writers }: Scene): Promise<boolean> {
  await writers.goOn(more)
  const args = ['migrate', '--endpoint', running[0]?.url ?? '', '--to', `${journal}+${blobs}`, '--json']
  const isSame = await move('directory -> postgres+s3', args, { env, writers, goOn: async () => undefined })
  // The writers go on at nodes, and then the server that moved its store is not needed any more.
  for (let count = 0; count < 2; count++)
    running.push(await serve(['--journal', journal, '--blobs', blobs, ...ring], env))
  writers.urls = running.slice(1).map(({ url }) => url)
  await writers.goOn(more)
  await running.shift()?.stop()
  return isSame
}

async function moveBack({ env, scratch, ring, journal, blobs, running, writers }: Scene): Promise<boolean> {
  const dir = join(scratch, 'back')
  const args = ['migrate', '--dir', dir, '--from', `${journal}+${blobs}`, ...ring, '--json']
  const goOn = async () => {
    running.push(await serve([dir, ...ring], env))
    writers.urls = running.slice(-1).map(({ url }) => url)
  }
  return move('postgres+s3 -> directory', args, { env, writers, goOn })
}

async function movedWithoutLoss(scene: Scene): Promise<boolean> {
  const { scratch, running, writers } = scene
  try {
    const isSame = [await moveThere(scene), await moveBack(scene)]
    await writers.stop()
    const lost = await writers.lost()
    for (const server of running.splice(0)) await server.stop()
    const wrong = await faults(join(scratch, 'back'), writers.acknowledged)
    const verdict = wrong.length === 0 ? 'all there' : wrong.join('; ')
    console.log(`${writers.acknowledged} writes acknowledged meanwhile, ${lost.length} lost; ${verdict}`)
    return isSame.every(Boolean) && lost.length === 0 && wrong.length === 0
  } finally {
    await writers.stop()
    for (const server of running) await server.stop()
  }
}

const scratch = await mkdtemp(join(values.dir, 'varve-moving-'))
const shared = await startSharedServers()
try {
  await makeBlobs(shared.env)
  process.exitCode = (await movedWithoutLoss(await setScene(scratch, shared.env))) ? 0 : 1
} finally {
  await shared.stop()
  await rm(scratch, { recursive: true, force: true })
}
