/** What a disk, or a hand, can do to the files of a store. */
import {
  appendFile,
  cp,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Random } from '../support/random.ts'

export interface FileMutation {
  /** What was done, to be read. */
  readonly what: string
}

export const fileKinds = ['blob', 'ldb', 'log', 'manifest', 'current', 'witness', 'format', 'seal'] as const
export type FileKind = (typeof fileKinds)[number]

const forms: Readonly<Record<FileKind, RegExp>> = {
  blob: /^blobs\/..\/[0-9a-f]{32}$/,
  ldb: /^events\/\d+\.ldb$/,
  log: /^events\/\d+\.log$/,
  manifest: /^events\/MANIFEST-\d+$/,
  current: /^events\/CURRENT$/,
  witness: /^witness$/,
  format: /^FORMAT$/,
  seal: /^seal$/,
}

export interface Place {
  /** The store to damage. */
  readonly dir: string
  /** The same store, earlier. */
  readonly earlier: string
  readonly random: Random
}

type FileOperation = (path: string, place: Place, name: string) => Promise<string>

const flip: FileOperation = async (path, { random }) => {
  const { size } = await stat(path)
  if (size === 0) return 'empty'
  const bit = random.below(size * 8)
  await changeByte(path, bit >> 3, (byte) => byte ^ (1 << (bit & 7)))
  return `flip bit ${bit} of ${size * 8}`
}

const scribble: FileOperation = async (path, { random }) => {
  const { size } = await stat(path)
  const length = Math.min(size, 1 + random.below(64))
  const at = random.below(Math.max(size - length, 1))
  await writeAt(path, at, random.bytes(length))
  return `write ${length} random bytes at ${at} of ${size}`
}

const zero: FileOperation = async (path, { random }) => {
  const { size } = await stat(path)
  const length = Math.min(size, random.pick([16, 512, 4096, size]))
  const at = random.below(Math.max(size - length + 1, 1))
  await writeAt(path, at, new Uint8Array(length))
  return `zero ${length} bytes at ${at} of ${size}`
}

const cut: FileOperation = async (path, { random }) => {
  const { size } = await stat(path)
  const left = random.pick([0, Math.max(size - 1, 0), random.below(Math.max(size, 1))])
  await truncate(path, left)
  return `cut to ${left} of ${size} bytes`
}

const append: FileOperation = async (path, { random }) => {
  const length = 1 + random.below(512)
  await appendFile(path, random.pick([random.bytes(length), new Uint8Array(length)]))
  return `append ${length} bytes`
}

const remove: FileOperation = async (path) => {
  await rm(path)
  return 'delete'
}

const swap: FileOperation = async (path, place, name) => {
  const others = (await filesOf(place.dir)).filter((other) => other !== name)
  // Half of the time with one of its own kind: those are the swaps that could pass.
  const siblings = others.filter((other) => kindOf(other) === kindOf(name))
  const other = place.random.pick(siblings.length > 0 && place.random.below(2) === 0 ? siblings : others)
  const aside = `${path}.aside`
  await rename(path, aside)
  await rename(join(place.dir, other), path)
  await rename(aside, join(place.dir, other))
  return `swap with ${other}`
}

const asDirectory: FileOperation = async (path) => {
  await rm(path)
  await mkdir(path)
  return 'a directory in its place'
}

/** The file as it was some openings ago, or one of its kind from then. */
const putBack: FileOperation = async (path, { earlier, random }, name) => {
  const old = (await filesOf(earlier)).filter((other) => kindOf(other) === kindOf(name))
  if (old.length === 0) return remove(path, { dir: '', earlier, random }, name)
  const from = old.includes(name) ? name : random.pick(old)
  const bytes = await readFile(join(earlier, from)).catch(() => undefined)
  // LevelDB may have done away with it since the names were read.
  if (bytes === undefined) return remove(path, { dir: '', earlier, random }, name)
  await writeFile(path, bytes)
  return `put back ${from} of earlier`
}

const operations: readonly FileOperation[] = [
  flip,
  flip,
  flip,
  scribble,
  zero,
  cut,
  append,
  remove,
  swap,
  asDirectory,
  putBack,
]

/** `undefined` when the store has no such file. */
export async function mutateFile(place: Place, kind: FileKind): Promise<FileMutation | undefined> {
  const candidates = (await filesOf(place.dir)).filter((name) => forms[kind].test(name))
  if (candidates.length === 0) return undefined
  const name = place.random.pick(candidates)
  const what = await place.random.pick(operations)(join(place.dir, name), place, name)
  return { what: `${name}: ${what}` }
}

/** Names that come, go and move. */
export async function mutateEntries(place: Place): Promise<FileMutation> {
  const { dir, earlier, random } = place
  const files = await filesOf(dir)
  const blobs = files.filter((name) => forms.blob.test(name))
  const blob = random.pick(blobs)
  const shard = random.below(256).toString(16).padStart(2, '0')
  const id = Buffer.from(random.bytes(16)).toString('hex')
  const steps: readonly (() => Promise<string>)[] = [
    () => gone(dir, `blobs/${shard}`),
    () => gone(dir, blob.slice(0, 8)),
    () => gone(dir, random.pick(['blobs', 'tmp', 'events'])),
    () => moved(dir, blob, `blobs/${id.slice(0, 2)}/${id}`),
    () => moved(dir, blob, `blobs/${shard}/${blob.slice(-32)}`),
    () => made(dir, `tmp/${id}`, random),
    () => made(dir, `blobs/${shard}/${shard}${id.slice(2)}`, random),
    () => made(dir, `events/${random.pick(['000099.ldb', '999999.log', 'MANIFEST-000099', '000001.log'])}`, random),
    () => made(dir, random.pick(['FORMAT.tmp', 'witness.tmp', 'seal.tmp', 'blobs/readme']), random),
    async () => {
      const old = random.pick((await filesOf(earlier)).filter((name) => name.startsWith('events/')))
      await cp(join(earlier, old), join(dir, old))
      return `${old} of earlier comes back`
    },
    async () => {
      await rm(join(dir, 'events'), { recursive: true })
      await cp(join(earlier, 'events'), join(dir, 'events'), { recursive: true })
      return 'all of events/ as it was earlier'
    },
    async () => {
      const other = random.pick(blobs)
      if (other === blob) return `${blob} stays`
      await rm(join(dir, other))
      await link(join(dir, blob), join(dir, other))
      return `${other} becomes a second name of ${blob}`
    },
  ]
  return { what: await random.pick(steps)() }
}

async function gone(dir: string, name: string): Promise<string> {
  await rm(join(dir, name), { recursive: true, force: true })
  return `${name}/ is deleted`
}

async function moved(dir: string, from: string, to: string): Promise<string> {
  await mkdir(dirname(join(dir, to)), { recursive: true })
  await rename(join(dir, from), join(dir, to))
  return `${from} becomes ${to}`
}

async function made(dir: string, name: string, random: Random): Promise<string> {
  await mkdir(dirname(join(dir, name)), { recursive: true })
  await writeFile(join(dir, name), random.bytes(random.below(2048)))
  return `${name} appears`
}

/** Paths of all files below a store that hold data. */
async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .filter((name) => kindOf(name) !== undefined)
    .sort()
}

const kindOf = (name: string): FileKind | undefined => fileKinds.find((kind) => forms[kind].test(name))

async function changeByte(path: string, at: number, change: (byte: number) => number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const byte = new Uint8Array(1)
    await file.read(byte, 0, 1, at)
    await file.write(Uint8Array.of(change(byte[0] as number)), 0, 1, at)
  } finally {
    await file.close()
  }
}

async function writeAt(path: string, at: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(bytes, 0, bytes.length, at)
  } finally {
    await file.close()
  }
}
