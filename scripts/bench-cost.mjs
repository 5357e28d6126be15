/**
 * What the packed packages cost besides time: bytes written to the medium and kept for each byte put, by layout and size of
 * the objects, and the memory of a process that has a store open, and of a server. Each figure is that of a process of its own.
 *
 *     npm run suite bench-cost -- [--mebibytes 16]
 *
 * Linux only. VARVE_BENCH_DIR must lie on a disk: in a file system in memory, nothing is written.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPacked } from './pack/install.mjs'

const { mebibytes } = parseArgs({ options: { mebibytes: { type: 'string', default: '16' } } }).values
const layouts = ['level+files', 'segments+tiered', 'lmdb+files', 'sqlite+files']
/** Packages that two of the layouts need, and that a program installs itself. */
const optional = ['lmdb', 'libsql']
const root = fileURLToPath(new URL('..', import.meta.url))
const mebibyte = 1024 * 1024
const sizes = [1024, 4096, 65_536, mebibyte]
const objectsMin = 16
const objectsMax = 8000
const rounds = 3

const writing = `
import { readFileSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { openStore } from 'varve'
const [directory, layout, size, count] = process.argv.slice(2)
const written = () => Number(/^write_bytes: (\\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))[1])
const store = await openStore(directory, { layout })
await store.buckets.create('bucket')
const before = written()
const body = crypto.getRandomValues(Buffer.alloc(Math.min(size, 65536)))
const bytes = Buffer.concat(Array.from({ length: Math.ceil(size / body.length) }, () => body), Number(size))
let next = 0
const client = async () => {
  for (let i = next++; i < count; i = next++) await store.objects.put('bucket', 'key-' + i, bytes)
}
await Promise.all(Array.from({ length: 16 }, client))
await store.close()
const files = await readdir(directory, { recursive: true })
const kept = await Promise.all(files.map(async (file) => (await lstat(directory + '/' + file)).blocks * 512))
console.log(JSON.stringify({ written: written() - before, kept: kept.reduce((all, one) => all + one, 0) }))
`

/** The memory of the process without pages of mapped files, after a rest. `openStore` is imported by what goes before. */
const resting = `
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
const [directory, layout] = process.argv.slice(2)
const store = await openStore(directory, { layout })
await store?.buckets.create('bucket')
await store?.objects.put('bucket', 'key', 'value')
await delay(1500)
gc()
console.log(/^RssAnon:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1] * 1024)
await store?.close()
`

const scratch = mkdtempSync(join(process.env.VARVE_BENCH_DIR ?? tmpdir(), 'varve-cost-'))
let stores = 0
try {
  const project = await installPacked(scratch)
  for (const name of optional) symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
  const program = (name, source) => {
    writeFileSync(join(project, name), source)
    return (...args) => JSON.parse(run(project, name, [join(scratch, `store-${++stores}`), ...args]))
  }
  const write = program('write.mjs', writing)
  const rest = program('rest.mjs', `import { openStore } from 'varve'\n${resting}`)
  const restBare = program('rest-bare.mjs', `const openStore = () => undefined\n${resting}`)
  console.log('bytes written and kept for each byte put')
  for (const layout of layouts) for (const size of sizes) printWritten(layout, size, write)
  console.log('memory of its own, in MiB: bare Node, and how much more with a store that is open and idle')
  const bare = median(() => restBare())
  console.log(`${inMebibytes(bare)}  bare Node`)
  for (const layout of layouts) console.log(`${inMebibytes(median(() => rest(layout)) - bare)}  ${layout}`)
  console.log('most memory of its own of a server while it works, in MiB, one load after another')
  await printServing(project, join(scratch, 'served'))
} finally {
  rmSync(scratch, { recursive: true })
}

function printWritten(layout, size, write) {
  const count = Math.max(objectsMin, Math.min(objectsMax, Math.floor((Number(mebibytes) * mebibyte) / size)))
  const { written, kept } = write(layout, String(size), String(count))
  const [perByte, keptPerByte] = [written, kept].map((bytes) => (bytes / (count * size)).toFixed(2).padStart(6))
  console.log(`${perByte} ${keptPerByte}  ${layout}, ${count} objects of ${size} bytes`)
}

/** 32 requests at a time. */
async function printServing(project, directory) {
  const { s3Client } = await import('../bench/dist/src/http/s3-client.js')
  const { inFlight } = await import('../bench/dist/lib/measure.js')
  const { benchCredentials: credentials } = await import('../bench/dist/src/basics/credentials.js')
  const { accessKeyId, secretAccessKey, region } = credentials
  const args = ['node_modules/varve/bin/varve.js', 'serve', directory, '--port', '0', '--json', '--region', region]
  const env = { ...process.env, VARVE_ACCESS_KEY_ID: accessKeyId, VARVE_SECRET_ACCESS_KEY: secretAccessKey }
  const server = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, ownMemory(server.pid))
  }, 20)
  try {
    const client = await s3Client(await urlOf(server), credentials, 32)
    const load = async (title, count, request) => {
      peak = 0
      await inFlight(32, count, (i) => client.ask(request(i)))
      console.log(`${inMebibytes(peak)}  ${title}`)
    }
    await client.ask({ method: 'PUT', path: '/bucket' })
    const [small, large] = [Buffer.alloc(4096, 'x'), Buffer.alloc(mebibyte, 'x')]
    await load('puts of 4 KiB', 5000, (i) => ({ method: 'PUT', path: `/bucket/key-${i}`, body: small }))
    await load('gets of 4 KiB', 10_000, (i) => ({ method: 'GET', path: `/bucket/key-${i % 5000}` }))
    await load('pages of 1000 objects', 600, () => ({ method: 'GET', path: '/bucket', query: 'list-type=2' }))
    await load('pages of 1000 versions', 600, () => ({ method: 'GET', path: '/bucket', query: 'versions=' }))
    await load('puts of 1 MiB', 400, (i) => ({ method: 'PUT', path: `/bucket/large-${i}`, body: large }))
    await load('gets of 1 MiB', 800, (i) => ({ method: 'GET', path: `/bucket/large-${i % 400}` }))
    client.close()
  } finally {
    clearInterval(watch)
    server.kill('SIGKILL')
    await once(server, 'close')
  }
}

async function urlOf(server) {
  let text = ''
  for await (const chunk of server.stdout) {
    text += chunk
    const [url] = /http:\/\/[\d.:]+/.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error('The server did not start.')
}

function ownMemory(pid) {
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes ?? 0) * 1024
}

function run(cwd, name, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', name, ...args], {
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} ${args.join(' ')}: ${stderr}`)
  return stdout
}

function median(measure) {
  const figures = Array.from({ length: rounds }, measure).toSorted((one, other) => one - other)
  return figures[rounds >> 1]
}

function inMebibytes(bytes) {
  return (bytes / mebibyte).toFixed(1).padStart(5)
}
