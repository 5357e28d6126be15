/** Stores for `bench-nodes`: PostgreSQL, a server for blobs, and servers before them whose processor time is measured. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchCredentials } from '../src/basics/credentials.ts'
import { expectStatus, type S3Client, s3Client } from '../src/http/s3-client.ts'

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** Tests set it: the bundle starts in half the time. */
const command = process.env['BUNDLED_VARVE'] ?? fileOf('../../../packages/varve/bin/varve.js')
const { accessKeyId, secretAccessKey, region } = benchCredentials

/** A process that answers each message with its processor time in milliseconds. */
export interface Measured {
  readonly child: ChildProcess
}

export interface Server extends Measured {
  readonly url: string
  readonly client: S3Client
}

/** The servers of one store, and the one that has its blobs, if that is another one. */
export interface ServedStore {
  readonly servers: readonly Server[]
  readonly blobs?: Server
}

export async function processorMs({ child }: Measured): Promise<number> {
  child.send('processor')
  const [ms] = (await once(child, 'message')) as [number]
  return ms
}

/** `width` connections are opened. */
async function startServer(args: readonly string[], width: number): Promise<Server> {
  const child = fork(command, ['serve', ...args, '--port', '0', '--json', '--region', region], {
    execArgv: ['--import', fileOf('../scale/report-processor.js')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      VARVE_ACCESS_KEY_ID: accessKeyId,
      VARVE_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
  })
  let shown = ''
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    shown += String(chunk)
    const [, url] = /"kind":"ready".*?"url":"(http:[^"]+)"/.exec(shown) ?? []
    if (url !== undefined) return { child, url, client: await s3Client(url, benchCredentials, width) }
  }
  throw new Error('A server ended before it was ready.')
}

export async function stopServer({ child, client }: Server): Promise<void> {
  client.close()
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Nodes of one store: its journal is a schema of the database, its blobs are below a prefix of `blobs`. */
export async function startNodes(
  count: number,
  {
    database,
    blobs,
    width,
    name = `nodes_${count}`,
  }: { readonly database: string; readonly blobs: Server; readonly width: number; readonly name?: string },
): Promise<ServedStore> {
  const journal = `${database}?schema=${name}`
  const place = `s3://blobs/${name}?region=${region}&store=${name}&endpoint=${encodeURIComponent(blobs.url)}`
  const servers: Server[] = []
  for (let at = 0; at < count; at++)
    servers.push(await startServer(['--journal', journal, '--blobs', place], Math.ceil(width / count)))
  return { servers, blobs }
}

export async function startOnDisk(directory: string, width: number): Promise<ServedStore> {
  return { servers: [await startServer([join(directory, 'store')], width)] }
}

export async function startBlobs(directory: string): Promise<Server> {
  const server = await startServer([join(directory, 'blobs')], 1)
  expectStatus(await server.client.ask({ method: 'PUT', path: '/blobs' }), 200)
  return server
}

/** Of the server and all its processes, those that have ended too. Linux only. */
export function databaseMs(postmaster: number): number {
  const stat = readFileSync(`/proc/${postmaster}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const endedTicks = Number(fields[13]) + Number(fields[14])
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').split(' ').filter(Boolean)
  const running = [String(postmaster), ...children].map(runningMs)
  return running.reduce((sum, ms) => sum + ms, endedTicks * 10)
}

function runningMs(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
