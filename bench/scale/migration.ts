/**
 * Migrates a store through its layouts, each pair of them in both directions. Every migration is killed in the middle,
 * continues with the next call, and is checked at the end: lists all objects, and reads the bytes of some.
 *
 *     node bench/dist/scale/migration.js --objects 1000000 [--layouts level+files,lmdb+tiered] [--dir DIR]
 *
 * Without `--layouts` each journal and each kind of blob store takes part once. Nine objects in ten are tiny, one in a
 * hundred is a blob. Prints a line for each pair, and ends with 1 after any failure.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type LayoutName, migrateStore, openStore, type Store } from 'varve'
import { inFlight } from '../lib/measure.ts'

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '20000' },
    layouts: { type: 'string', default: 'level+files,segments+tiered,lmdb+segments,sqlite+files' },
    dir: { type: 'string', default: tmpdir() },
    /** With this option the process only migrates the store in `--dir`, and reports its progress. */
    to: { type: 'string' },
  },
})
const objects = Number(values.objects)
const bucket = 'moved'
const looked = 500

async function moveOnce(dir: string, to: LayoutName): Promise<void> {
  await migrateStore(dir, to, {
    onProgress: ({ stage, done, total }) => console.log(JSON.stringify({ stage, share: done / total })),
  })
}

async function moveThrough(layouts: readonly LayoutName[]): Promise<boolean> {
  const scratch = await mkdtemp(join(values.dir, 'varve-migration-'))
  const dir = join(scratch, 'store')
  let isRight = true
  try {
    await make(dir, layouts[0] as LayoutName)
    const pairs = tour(layouts)
    for (const [i, [from, to]] of pairs.entries()) {
      const { killedAt, lostMs } = await killHalfWay(dir, to, i)
      const began = performance.now()
      const { code } = await run(dir, to)
      const seconds = (performance.now() - began) / 1000
      const wrong = code === 0 ? await faults(dir, to) : [`the migration ended with ${code}`]
      isRight &&= wrong.length === 0
      const killed = `killed ${killedAt} after ${(lostMs / 1000).toFixed(1)} s`
      const verdict = wrong.length === 0 ? 'all there' : wrong.join('; ')
      console.log(`${i + 1}/${pairs.length} ${from} -> ${to}: ${killed}, then ${seconds.toFixed(1)} s, ${verdict}`)
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return isRight
}

async function make(dir: string, layout: LayoutName): Promise<void> {
  const began = performance.now()
  const store = await openStore(dir, { layout, sweepEveryMs: 0 })
  await store.buckets.create(bucket)
  await inFlight(256, objects, (i) => store.objects.put(bucket, keyOf(i), bodyOf(i)))
  await store.close()
  console.log(`${objects} objects put in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

const keyOf = (i: number): string => `${i % 100}/${String(i).padStart(8, '0')}`

function bodyOf(i: number): string {
  const line = `object ${i};`
  return line.repeat(Math.ceil(sizeOf(i) / line.length))
}

function sizeOf(i: number): number {
  if (i % 1000 === 0) return 300_000
  if (i % 100 === 1) return 40_000
  return i % 10 === 2 ? 4000 : 200
}

/** Every pair in both directions; each pair begins with the layout that ended the pair before (Hierholzer). */
function tour(layouts: readonly LayoutName[]): readonly (readonly [LayoutName, LayoutName])[] {
  const left = new Map(layouts.map((from) => [from, layouts.filter((to) => to !== from)]))
  const [path, visited]: [LayoutName[], LayoutName[]] = [[layouts[0] as LayoutName], []]
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const next = left.get(at)?.pop()
    if (next === undefined) visited.unshift(path.pop() as LayoutName)
    else path.push(next)
  }
  return visited.slice(1).map((to, i) => [visited[i] as LayoutName, to])
}

/**
 * The moments for the kill, in turn: while the log is copied, while bytes and blobs are, and during the final check.
 */
const readings = [
  { stage: 'events', share: 0.5 },
  { stage: 'bytes', share: 0.5 },
  { stage: 'check', share: 0.5 },
  { stage: 'events', share: 0.9 },
  { stage: 'bytes', share: 0.9 },
] as const

async function killHalfWay(dir: string, to: LayoutName, i: number) {
  const { stage, share } = readings[i % readings.length] as (typeof readings)[number]
  const began = performance.now()
  const { code } = await run(dir, to, (at) => at.stage === stage && at.share >= share)
  const lostMs = performance.now() - began
  return { killedAt: code === null ? `${stage} ${share * 100} %` : 'never', lostMs }
}

interface Reading {
  readonly stage: string
  readonly share: number
}

/** The code is missing when the process was killed. */
function run(dir: string, to: LayoutName, isTime: (at: Reading) => boolean = () => false) {
  const self = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, [self, '--dir', dir, '--to', to], { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (isTime(JSON.parse(line) as Reading)) child.kill('SIGKILL')
  })
  return new Promise<{ code: number | null }>((resolve) => child.once('close', (code) => resolve({ code })))
}

async function faults(dir: string, layout: LayoutName): Promise<readonly string[]> {
  const store = await openStore(dir, { layout, sweepEveryMs: 0, sweepOrphans: false })
  try {
    const wrong: string[] = []
    if (store.seq !== objects + 1) wrong.push(`the log ends at ${store.seq}`)
    const count = await countOf(store)
    if (count !== objects) wrong.push(`${count} objects are listed`)
    for (let i = 0; i < objects; i += Math.max(1, Math.floor(objects / looked))) await look(store, i, wrong)
    return wrong
  } finally {
    await store.close()
  }
}

async function countOf(store: Store): Promise<number> {
  let count = 0
  for await (const _ of store.objects.list(bucket)) count++
  return count
}

async function look(store: Store, i: number, wrong: string[]): Promise<void> {
  const text = await (await store.objects.get(bucket, keyOf(i))).text()
  if (text !== bodyOf(i)) wrong.push(`${keyOf(i)} has other bytes`)
}

if (values.to === undefined) process.exitCode = (await moveThrough(values.layouts.split(',') as LayoutName[])) ? 0 : 1
else await moveOnce(values.dir, values.to as LayoutName)
