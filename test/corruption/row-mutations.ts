/** What a program can do to a store through LevelDB, with good checksums if it likes. */
import { join } from 'node:path'
import { type LevelDatabase, openLevelDirectory } from '@varve/adapters'
import { crc32 } from 'node:zlib'
import type { Place } from './file-mutations.ts'

type Entry = readonly [key: Uint8Array, value: Uint8Array]

export const rowKinds = ['event', 'row', 'inline', 'data key'] as const
export type RowKind = (typeof rowKinds)[number]

/** First bytes of keys in the database: events, rows of views, inline bytes, wrapped data keys. */
function kindOf([space, table = 0]: Uint8Array): RowKind {
  if (space === 0) return 'event'
  if (table < 0x80) return 'row'
  return table === 0x80 ? 'inline' : 'data key'
}

interface Work extends Place {
  readonly db: LevelDatabase
  readonly kind: RowKind
  readonly entries: readonly Entry[]
}

type RowOperation = (work: Work) => Promise<string>

const drop: RowOperation = async ({ db, random, entries }) => {
  const [key] = random.pick(entries)
  await write(db, [[key, null]])
  return `delete ${hex(key)}`
}

const swapValues: RowOperation = async ({ db, random, entries }) => {
  const [a, b] = [random.pick(entries), random.pick(entries)]
  await write(db, [
    [a[0], b[1]],
    [b[0], a[1]],
  ])
  return `swap the values of ${hex(a[0])} and ${hex(b[0])}`
}

/** As above, each with a checksum that is right for its new place. */
const swapSealed: RowOperation = async ({ db, random, entries }) => {
  const [a, b] = [random.pick(entries), random.pick(entries)]
  await write(db, [
    [a[0], seal(a[0], payload(b[1]))],
    [b[0], seal(b[0], payload(a[1]))],
  ])
  return `swap the payloads of ${hex(a[0])} and ${hex(b[0])}`
}

const flip: RowOperation = async ({ db, random, entries }) => {
  const [key, value] = random.pick(entries)
  const bit = random.below(value.length * 8)
  const damaged = Uint8Array.from(value)
  damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
  await write(db, [[key, damaged]])
  return `flip bit ${bit} of ${hex(key)}`
}

/** One byte changed, and the checksum made again. */
const edit: RowOperation = async ({ db, random, entries }) => {
  const [key, value] = random.pick(entries)
  const edited = Uint8Array.from(payload(value))
  if (edited.length === 0) return drop({ db, random, entries } as Work)
  const at = random.below(edited.length)
  edited[at] = (edited[at] as number) + 1
  await write(db, [[key, seal(key, edited)]])
  return `edit byte ${at} of ${hex(key)}, checksum made again`
}

const nonsense: RowOperation = async ({ db, random, entries }) => {
  const [key] = random.pick(entries)
  const text = random.pick(['', '{}', '7', '\u0000', '\u0001', '\u0010\u0001', '\u007f'.repeat(9)])
  await write(db, [[key, seal(key, Buffer.from(text))]])
  return `${hex(key)} becomes ${JSON.stringify(text)}, checksum made again`
}

const cut: RowOperation = async ({ db, random, entries }) => {
  const [key, value] = random.pick(entries)
  const length = random.below(value.length)
  await write(db, [[key, value.subarray(0, length)]])
  return `cut ${hex(key)} to ${length} of ${value.length} bytes`
}

const copyElsewhere: RowOperation = async ({ db, random, entries, kind }) => {
  const [key, value] = random.pick(entries)
  const other = Uint8Array.from(key)
  const at = kind === 'event' ? key.length - 1 : 1 + random.below(key.length - 1)
  other[at] = (other[at] as number) ^ (1 << random.below(8))
  await write(db, [[other, random.below(2) === 0 ? value : seal(other, payload(value))]])
  return `${hex(key)} again as ${hex(other)}`
}

/** A row, or all rows of the kind, as they were some openings ago: every checksum is right. */
const putBack: RowOperation = async ({ db, random, kind, earlier, entries }) => {
  const old = (await withDatabase(join(earlier, 'events'), all)).filter(([key]) => kindOf(key) === kind)
  if (random.below(4) === 0) {
    const kept = new Set(old.map(([key]) => hex(key)))
    const lost = entries.filter(([key]) => !kept.has(hex(key)))
    await write(db, [...old, ...lost.map(([key]): [Uint8Array, null] => [key, null])])
    return `all of kind ${kind} as they were earlier`
  }
  const now = new Map(entries.map(([key, value]) => [hex(key), value]))
  const changed = old.filter(([key, value]) => Buffer.compare(now.get(hex(key)) ?? Buffer.of(), value) !== 0)
  const [key, value] = random.pick(changed.length > 0 ? changed : old)
  await write(db, [[key, value]])
  return `${hex(key)} as it was earlier`
}

const operations: readonly RowOperation[] = [
  drop,
  swapValues,
  swapSealed,
  flip,
  edit,
  edit,
  nonsense,
  cut,
  copyElsewhere,
  putBack,
  putBack,
]

export async function mutateRows(place: Place, kind: RowKind): Promise<{ readonly what: string }> {
  return withDatabase(join(place.dir, 'events'), async (db) => {
    const entries = (await all(db)).filter(([key]) => kindOf(key) === kind)
    return { what: await place.random.pick(operations)({ ...place, db, kind, entries }) }
  })
}

async function withDatabase<T>(path: string, work: (db: LevelDatabase) => Promise<T>): Promise<T> {
  const db = await openLevelDirectory(path)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

async function all(db: LevelDatabase): Promise<Entry[]> {
  const iterator = db.iterator({ gte: Uint8Array.of(0) })
  const entries: Entry[] = []
  try {
    for (;;) {
      const page = await iterator.nextv(1000)
      if (page.length === 0) return entries
      entries.push(...page)
    }
  } finally {
    await iterator.close()
  }
}

async function write(db: LevelDatabase, changes: readonly (readonly [Uint8Array, Uint8Array | null])[]): Promise<void> {
  const batch = db.batch()
  for (const [key, value] of changes) {
    if (value === null) batch.del(key)
    else batch.put(key, value)
  }
  await batch.write({ sync: false })
}

const payload = (frame: Uint8Array): Uint8Array => frame.subarray(5)

/** A frame with a right checksum; in the frame of a row the key is without the byte of its space. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const own = key[0] === 0 ? key : key.subarray(1)
  const format = kindOf(key) === 'inline' ? 1 : 2
  const rest = Buffer.concat([Uint8Array.of(format), bytes])
  const frame = Buffer.alloc(4 + rest.length)
  frame.writeUInt32BE(crc32(rest, crc32(own)))
  rest.copy(frame, 4)
  return frame
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
