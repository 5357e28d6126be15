/**
 * An object of 5 GiB through HTTP in parts of 8 MiB, four at a time, and back: time, peak memory of the server, bytes
 * compared by SHA-256, and the completion call alone. The server is a process of its own, so its memory is its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { signRequest } from 'varve/http'

const partBytes = 8 * 1024 * 1024
const parts = Number(process.env['VARVE_PARTS'] ?? 640)
const inFlight = 4
const credentials = { accessKeyId: 'VARVEBENCH', secretAccessKey: 'a-secret-for-the-bench-only' }
const command = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))

const directory = await mkdtemp(join(tmpdir(), 'varve-5gib-'))
const server = spawn(process.execPath, [command, 'serve', directory, '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    VARVE_ACCESS_KEY_ID: credentials.accessKeyId,
    VARVE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  },
})
try {
  const address = await readyAt(server)
  const base = await rssOf(server)
  await call(address, { method: 'PUT', target: '/bench' })
  const created = await call(address, { method: 'POST', target: '/bench/large?uploads=' })
  const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(created.toString())?.[1] ?? ''
  const body = randomBytes(partBytes)
  const etags: string[] = []
  const sent = createHash('sha256')
  for (let i = 0; i < parts; i++) sent.update(partOf(body, i))

  await timed(`upload ${gib()} in ${parts} parts, ${inFlight} in flight`, async () => {
    let next = 0
    const worker = async (): Promise<void> => {
      for (let i = next++; i < parts; i = next++) {
        const target = `/bench/large?partNumber=${i + 1}&uploadId=${uploadId}`
        const { headers } = await exchange(address, { method: 'PUT', target, body: partOf(body, i) })
        etags[i] = String(headers['etag'])
      }
    }
    await Promise.all(Array.from({ length: inFlight }, worker))
  })
  const list = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('')
  const completion = Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`)
  const target = `/bench/large?uploadId=${uploadId}`
  await timed('the completion call alone', () => call(address, { method: 'POST', target, body: completion }))
  const received = createHash('sha256')
  const onChunk = (chunk: Buffer) => received.update(chunk)
  await timed(`download ${gib()}`, () => exchange(address, { method: 'GET', target: '/bench/large', onChunk }))
  const same = sent.digest('hex') === received.digest('hex')
  console.log(
    `bytes ${same ? 'are the same' : 'DIFFER'}; server RSS ${base.now} MiB at start, peak ${(await rssOf(server)).peak} MiB`,
  )
  if (!same) process.exitCode = 1
} finally {
  server.kill('SIGTERM')
  await new Promise((resolve) => server.once('close', resolve))
  await rm(directory, { recursive: true, force: true })
}

/** Every part differs, at the price of a few bytes. */
function partOf(body: Buffer, index: number): Buffer {
  const part = Buffer.from(body)
  part.writeUInt32BE(index)
  return part
}

function gib(): string {
  return `${((parts * partBytes) / 2 ** 30).toFixed(2)} GiB`
}

async function timed(label: string, work: () => Promise<unknown>): Promise<void> {
  const before = performance.now()
  await work()
  console.log(`${label}: ${((performance.now() - before) / 1000).toFixed(3)} s`)
}

async function readyAt(child: ChildProcess): Promise<Address> {
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })
  for await (const line of lines) {
    const found = /http:\/\/([^:/"]+):(\d+)/.exec(line)
    if (found !== null) return { host: found[1] as string, port: Number(found[2]) }
  }
  throw new Error('The server ended before it was ready.')
}

/** Resident memory of another process, MiB, as Linux keeps it. */
async function rssOf({ pid }: ChildProcess): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (field: string) =>
    Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}

interface Address {
  readonly host: string
  readonly port: number
}

interface Request {
  readonly method: string
  readonly target: string
  readonly body?: Buffer
  readonly onChunk?: (chunk: Buffer) => void
}

async function call(address: Address, request: Request): Promise<Buffer> {
  const chunks: Buffer[] = []
  await exchange(address, { ...request, onChunk: (chunk) => chunks.push(chunk) })
  return Buffer.concat(chunks)
}

/** One signed request; the payload is not signed, as clients do for large bodies. */
function exchange(
  { host, port }: Address,
  { method, target, body = Buffer.alloc(0), onChunk = () => undefined }: Request,
): Promise<{ headers: NodeJS.Dict<string | string[]> }> {
  const [rawPath = '', rawQuery = ''] = target.split('?')
  const headers = [['host', `${host}:${port}`] as const]
  const signed = signRequest(
    { method, rawPath, rawQuery, headers },
    { ...credentials, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' },
  )
  return new Promise((resolve, reject) => {
    const sentHeaders = { ...Object.fromEntries(signed.headers), 'content-length': String(body.length) }
    const sending = request({ host, port, method, path: target, headers: sentHeaders }, (response) => {
      response.on('data', onChunk)
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ headers: response.headers })
        else reject(new Error(`${method} ${target} answered ${response.statusCode}.`))
      })
      response.on('error', reject)
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
