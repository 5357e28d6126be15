/**
 * Measures what a second worker gains. It sends the same requests to `varve serve` and to `varve serve --workers 2`, in
 * alternating rounds. The sender uses the same processors as the servers. Its share is printed beside each figure,
 * because no ratio can exceed what the sender leaves to the servers. `VARVE_BENCH_DIR` sets where the stores are. In
 * memory (/dev/shm) the comparison measures hashing and not the disk.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inFlight, medianOf } from '../lib/measure.ts'
import { type Request, ServerProcess } from '../lib/server-process.ts'

const rounds = Number(process.env['VARVE_ROUNDS'] ?? 5)
const mebibyte = 1024 * 1024

interface Work {
  readonly name: string
  readonly width: number
  readonly count: number
  readonly requested: (i: number) => Request
}

const works: readonly Work[] = [
  put('PUT of 16 MiB, SHA-256 signed', 16 * mebibyte, 8, 24),
  put('PUT of 1 MiB, SHA-256 signed', mebibyte, 8, 150),
  put('PUT of 4 KiB, SHA-256 signed', 4096, 16, 2000),
  { name: 'GET of 4 KiB', width: 16, count: 4000, requested: () => ({ method: 'GET', target: '/bench/4096-0' }) },
]

function put(name: string, size: number, width: number, count: number): Work {
  const body = randomBytes(size)
  const payloadHash = createHash('sha256').update(body).digest('hex')
  // Uses only a few keys, so that the store stays small.
  return {
    name,
    width,
    count,
    requested: (i) => ({ method: 'PUT', target: `/bench/${size}-${i % width}`, body, payloadHash }),
  }
}

interface Round {
  readonly rate: number
  /** Processor time of one operation, in milliseconds: of the server, and of the sender. */
  readonly server: number
  readonly sender: number
}

async function measure(server: ServerProcess, { width, count, requested }: Work): Promise<Round> {
  const [served, sent, began] = [await server.processorMs(), process.cpuUsage(), performance.now()]
  await inFlight(width, count, async (i) => void (await server.exchange(requested(i))))
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(sent)
  return {
    rate: (count / ms) * 1000,
    server: ((await server.processorMs()) - served) / count,
    sender: (user + system) / 1000 / count,
  }
}

const directory = await mkdtemp(join(process.env['VARVE_BENCH_DIR'] ?? tmpdir(), 'varve-workers-'))
const agent = new Agent({ keepAlive: true })
const one = await ServerProcess.start(join(directory, 'one'), [], agent)
const two = await ServerProcess.start(join(directory, 'two'), ['--workers', '2'], agent)
try {
  console.log(`${availableParallelism()} processors, ${rounds} rounds, medians`)
  for (const server of [one, two]) await server.call({ method: 'PUT', target: '/bench' })
  for (const work of works) await compare(work)
} finally {
  await Promise.all([one.stop(), two.stop()])
  await rm(directory, { recursive: true, force: true })
}

async function compare(work: Work): Promise<void> {
  const [alone, both]: [Round[], Round[]] = [[], []]
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const turns = [
      { server: one, kept: alone },
      { server: two, kept: both },
    ]
    for (const { server, kept } of round % 2 === 0 ? turns : turns.reverse()) kept.push(await measure(server, work))
  }
  const ratios = alone.slice(1).map(({ rate }, i) => (both[i + 1] as Round).rate / rate)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  const of = (kept: readonly Round[], figure: keyof Round) => medianOf(kept.slice(1).map((round) => round[figure]))
  console.log(
    `${work.name}: ${of(alone, 'rate').toFixed(0)}/s alone, ${of(both, 'rate').toFixed(0)}/s with two workers, ` +
      `ratio ${medianOf(ratios).toFixed(2)} [${least.toFixed(2)}–${most.toFixed(2)}]; processor ms an operation: ` +
      `server ${of(alone, 'server').toFixed(2)} and ${of(both, 'server').toFixed(2)}, sender ${of(both, 'sender').toFixed(2)}`,
  )
}
