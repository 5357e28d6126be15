/**
 * What a sync of a bucket as it was costs: a bucket has many objects, loses them all, and each client that is installed downloads
 * it as of before. The same download of the bucket before the deletion is the measure.
 *
 *     npm run suite sync-past -- [--objects N] [--bytes N]
 *
 * Ends with 1 if a file differs from what was stored, or if no client is installed.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { serveTree } from '../support/tree-server.ts'
import { findProgram } from './support/commands.ts'
import { makeMaterial } from './support/material.ts'
import { rcloneIn } from './support/rclone-in.ts'
import { Scene } from './support/scene.ts'
import { expect } from './support/session.ts'
import { sameTree } from './support/tree.ts'

const { values } = parseArgs({
  options: { objects: { type: 'string', default: '10000' }, bytes: { type: 'string', default: '1024' } },
})
const [objects, bytes] = [Number(values.objects), Number(values.bytes)]

interface Client {
  readonly name: string
  /** Downloads `BUCKET/many` into a directory. */
  download(bucket: string, dir: string): Promise<unknown>
  /** Copies `BUCKET/many` to another place in the server. */
  copy(bucket: string, to: string): Promise<unknown>
}

const requests = new Map<string, number>()
process.exitCode = await measure()

async function measure(): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), 'varve-sync-past-'))
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: randomBytes(20).toString('hex') }
  const identities = join(scratch, 'identities.json')
  await writeFile(identities, JSON.stringify({ identities: [{ name: 'clients', ...credentials, root: true }] }), {
    mode: 0o600,
  })
  const onRequest = (line: string) => {
    const { operation = 'other' } = JSON.parse(line) as { readonly operation?: string }
    requests.set(operation, (requests.get(operation) ?? 0) + 1)
  }
  const server = await serveTree({ store: join(scratch, 'store'), identities, onRequest })
  const dir = join(scratch, 'session')
  await mkdir(join(scratch, 'material'))
  await mkdir(dir)
  const material = await makeMaterial(join(scratch, 'material'))
  const signal = AbortSignal.timeout(3_600_000)
  const scene = new Scene({ port: server.port, credentials, material, dir, bucket: 'measured', signal })
  try {
    return await compare(scene)
  } finally {
    scene.close()
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function compare(scene: Scene): Promise<number> {
  const clients = await installed(scene)
  if (clients.length === 0) return 1
  const stored = join(scene.dir, 'stored')
  await plantMany(stored)
  await scene.makeBucket(true)
  await timed('stored', () => scene.storeTree(stored, 'many/'))
  for (const { name, download } of clients) {
    const into = join(scene.dir, `${name}-now`)
    await timed(`${name}, now`, () => download(scene.bucket, into))
    await sameTree(into, stored)
  }
  const { seq } = await scene.control<{ readonly seq: number }>('GET', '/-/v1/status')
  await timed('deleted', () => scene.deleteAll())
  expect((await scene.keys()).length === 0, 'the bucket is empty')
  const past = `${scene.bucket}--at-${seq}`
  for (const { name, download, copy } of clients) {
    const into = join(scene.dir, `${name}-past`)
    await timed(`${name}, as of before the deletion`, () => download(past, into))
    await sameTree(into, stored)
    await timed(`${name}, copied back in the server`, () => copy(past, `${scene.bucket}/${name}`))
    const back = join(scene.dir, `${name}-back`)
    await download(`${scene.bucket}/${name}`, back)
    await sameTree(back, stored)
  }
  console.log('All bytes are equal.')
  return 0
}

async function installed(scene: Scene): Promise<readonly Client[]> {
  const [aws, rclone] = [findProgram('aws'), findProgram('rclone')]
  const clients: Client[] = []
  if (aws !== undefined) {
    const sync = (from: string, to: string) =>
      scene.call(aws, ['--endpoint-url', scene.endpoint, 's3', 'sync', '--only-show-errors', from, to])
    clients.push({
      name: 'aws-cli',
      download: (bucket, dir) => sync(`s3://${bucket}/many`, dir),
      copy: (bucket, to) => sync(`s3://${bucket}/many`, `s3://${to}/many`),
    })
  }
  if (rclone !== undefined) {
    const run = await rcloneIn(scene, rclone)
    clients.push({
      name: 'rclone',
      download: (bucket, dir) => run(['sync', `v:${bucket}/many`, dir]),
      copy: (bucket, to) => run(['copy', `v:${bucket}/many`, `v:${to}/many`]),
    })
  }
  return clients
}

/** A hundred files in each directory. */
async function plantMany(dir: string): Promise<void> {
  for (let index = 0; index < objects; index++) {
    const file = join(dir, String(Math.floor(index / 100)).padStart(4, '0'), `${index}`)
    if (index % 100 === 0) await mkdir(dirname(file), { recursive: true })
    await writeFile(file, randomBytes(bytes))
  }
}

/** The lines of the server come a moment after its answers. */
function logWasRead(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500))
}

async function timed(what: string, run: () => Promise<unknown>): Promise<void> {
  await logWasRead()
  requests.clear()
  const from = performance.now()
  await run()
  const seconds = (performance.now() - from) / 1000
  await logWasRead()
  const counted = [...requests].map(([operation, count]) => `${count} ${operation}`).join(', ')
  console.log(`${what.padEnd(40)} ${seconds.toFixed(1).padStart(7)} s  ${counted}`)
}
