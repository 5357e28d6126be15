/**
 * Compares the journal on append-only files with the disk itself, in alternating rounds: durable rows of 4 KiB with 16
 * in flight, events in groups of 128, replay, and opening after a clean close and after a kill. VARVE_EVENTS sets the
 * number of events of the last three.
 */
import { fork } from 'node:child_process'
import { type FileHandle, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSegmentLog } from '@varve/adapters'
import { medianOf } from '../lib/measure.ts'

const events = Number(process.env['VARVE_EVENTS'] ?? 1_000_000)
const rounds = Number(process.env['VARVE_ROUNDS'] ?? 5)
const puts = 4000
const width = 16
const groups = 300
const groupSize = 128
const value = Buffer.alloc(4096, 'v')
const event = Buffer.alloc(300, 'e')

if (process.argv[2] === '--fill') await fillAndDie(process.argv[3] as string)
const root = await mkdtemp(join(process.env['VARVE_BENCH_DIR'] ?? tmpdir(), 'varve-segments-'))
try {
  await comparePuts()
  await compareAppends()
  await scale()
} finally {
  await rm(root, { recursive: true, force: true })
}

async function comparePuts(): Promise<void> {
  const journal = await openSegmentLog(join(root, 'puts'), { createIfMissing: true })
  const log = await open(join(root, 'bare'), 'wx')
  const bare = bareLog(log)
  const files = join(root, 'files')
  await mkdir(files)
  let row = 0
  const rates: number[][] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    rates[0]?.push(
      await rate(puts, () => journal.commit({ expectedHead: 0, events: [], rows: [{ key: key(row++), value }] })),
    )
    rates[1]?.push(await rate(puts, () => bare(value)))
    rates[2]?.push(await rate(puts / 4, (i) => writeDurably(files, `${round}-${i}`)))
  }
  await journal.close()
  await log.close()
  print('durable rows of 4 KiB, 16 in flight', rates[0], [
    ['a bare log, grouped alike', rates[1]],
    ['a file each, fsync and rename', rates[2]],
  ])
}

async function compareAppends(): Promise<void> {
  const journal = await openSegmentLog(join(root, 'appends'), { createIfMissing: true })
  const log = await open(join(root, 'raw'), 'wx')
  const group = Array.from({ length: groupSize }, () => event)
  const bytes = Buffer.concat(group)
  const rates: number[][] = [[], []]
  let head = 0
  let at = 0
  for (let round = 0; round < rounds; round++) {
    const varve = await seconds(async () => {
      for (let i = 0; i < groups; i++) {
        await journal.commit({ expectedHead: head, events: group, rows: [] })
        head += groupSize
      }
    })
    const raw = await seconds(async () => {
      for (let i = 0; i < groups; i++) {
        await log.write(bytes, 0, bytes.length, at)
        await log.datasync()
        at += bytes.length
      }
    })
    rates[0]?.push((groups * groupSize) / varve)
    rates[1]?.push((groups * groupSize) / raw)
  }
  await journal.close()
  await log.close()
  print('events of 300 B, 128 a group', rates[0], [['the same bytes appended', rates[1]]])
}

async function scale(): Promise<void> {
  const directory = join(root, 'many')
  const child = fork(fileURLToPath(import.meta.url), ['--fill', directory], { stdio: 'inherit' })
  await new Promise((resolve) => child.once('exit', resolve))
  await openTimed(directory, 'after a kill')
  for (let round = 0; round < 3; round++) await openTimed(directory, 'after a close')
  const journal = await openSegmentLog(directory)
  for (let round = 0; round < 3; round++) {
    let seen = 0
    const took = await seconds(async () => {
      for await (const { seq } of journal.events()) seen = seq
    })
    if (seen !== events) throw new Error(`${seen} events`)
    console.log(`replay: ${Math.round(seen / took)} events/s`)
  }
  console.log(`resident: ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB`)
  await journal.close()
}

async function openTimed(directory: string, when: string): Promise<void> {
  const before = performance.now()
  const journal = await openSegmentLog(directory)
  console.log(`open with ${await journal.head()} events ${when}: ${(performance.now() - before).toFixed(0)} ms`)
  await journal.close()
}

/** Commits like a store of small objects, and kills its own process in the middle. */
async function fillAndDie(directory: string): Promise<never> {
  const journal = await openSegmentLog(directory, { createIfMissing: true })
  const group = 100
  for (let head = 0; head < events; head += group) {
    const rows = Array.from({ length: 2 * group }, (_, i) => ({ key: key(2 * head + i), value: event }))
    await journal.commit({ expectedHead: head, events: Array.from({ length: group }, () => event), rows })
  }
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}

/** Writes that arrive during one group form the next one: one write and one fdatasync for each group. */
function bareLog(file: FileHandle): (bytes: Buffer) => Promise<void> {
  let at = 0
  let queue: { readonly bytes: Buffer; resolve(): void }[] = []
  let turn: Promise<void> | undefined
  const run = async (): Promise<void> => {
    await Promise.resolve()
    while (queue.length > 0) {
      const group = queue
      queue = []
      const bytes = Buffer.concat(group.map((each) => each.bytes))
      await file.write(bytes, 0, bytes.length, at)
      await file.datasync()
      at += bytes.length
      for (const { resolve } of group) resolve()
    }
    turn = undefined
  }
  return (bytes) =>
    new Promise((resolve) => {
      queue.push({ bytes, resolve })
      turn ??= run()
    })
}

async function writeDurably(directory: string, name: string): Promise<void> {
  const path = join(directory, name)
  const file = await open(`${path}.tmp`, 'wx')
  await file.write(value)
  await file.sync()
  await file.close()
  await rename(`${path}.tmp`, path)
  const parent = await open(directory, 'r')
  await parent.sync()
  await parent.close()
}

function key(number: number): Buffer {
  const bytes = Buffer.alloc(24, 'k')
  bytes.writeUInt32BE(Math.imul(number, 2_654_435_761) >>> 0, 0)
  bytes.writeUInt32BE(number, 4)
  return bytes
}

/** Operations a second, with a limited number in flight. */
async function rate(count: number, one: (i: number) => Promise<void>): Promise<number> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await one(i)
  }
  return count / (await seconds(() => Promise.all(Array.from({ length: width }, worker))))
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now()
  await work()
  return (performance.now() - before) / 1000
}

function print(
  what: string,
  ours: readonly number[] = [],
  floors: readonly (readonly [string, readonly number[] | undefined])[],
): void {
  console.log(`${what}: ${Math.round(medianOf(ours))}/s`)
  for (const [name, theirs = []] of floors) {
    const ratios = ours.map((each, i) => each / (theirs[i] ?? Number.NaN))
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2))
    console.log(`  ${medianOf(ratios).toFixed(2)} [${least} to ${most}] x ${name}: ${Math.round(medianOf(theirs))}/s`)
  }
}
