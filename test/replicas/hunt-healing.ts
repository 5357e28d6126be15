/** Damages stores in memory and their copies, and looks whether healing serves or stores wrong bytes, or brings back what was erased. */
import { crc32 } from 'node:zlib'
import { memoryBlobs, memoryJournal, memoryMedium, nodeHashing, systemTimer } from '@varve/adapters'
import { type BlobStore, type Journal, openEngine, type Store, StorageError } from '@varve/core'
import type { Copy } from '@varve/core/ports'
import { hexFrom, type Random, randomFrom } from '../support/random.ts'

export interface HealingHunted {
  /** The first failure, with its seed, if any. */
  readonly failure: string | undefined
  readonly rounds: number
  readonly healed: number
}

/** As many rounds as are wanted, or up to the first that fails. */
export async function huntHealing(roundsMax: number, firstSeed = 1): Promise<HealingHunted> {
  let healed = 0
  for (let round = 0; round < roundsMax; round++) {
    const seed = firstSeed + round
    const result = await new Round(randomFrom(seed)).run()
    healed += result.healed
    if (result.failure !== undefined) return { failure: `seed ${seed}: ${result.failure}`, rounds: round + 1, healed }
  }
  return { failure: undefined, rounds: roundsMax, healed }
}

const everyRow = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }
const inlineByte = 0x80

/** Bytes by the name of a blob, or by the key of a row in hex. */
type Bytes = Map<string, Uint8Array>

interface Held {
  readonly blobs: Bytes
  readonly rows: Bytes
}

class Round {
  readonly #random: Random
  readonly #clock = { time: 1_700_000_000_000 }

  constructor(random: Random) {
    this.#random = random
  }

  async run(): Promise<{ readonly failure: string | undefined; readonly healed: number }> {
    const random = this.#random
    const [journal, blobs] = [await memoryJournal(memoryMedium(), { exclusive: true }), memoryBlobs()]
    let store = await this.#open(journal, blobs, [])
    const truth = await this.#fill(store)
    const before = store.seq
    const whole = await heldBy(journal, blobs)
    const gone = await this.#erase(store, truth)
    await store.close()
    const isWhole = random.chance(0.7)
    const copies = [copyOf('bad', this.#spoiled(whole)), ...(isWhole ? [copyOf('whole', whole)] : [])]
    const present = await heldBy(journal, blobs)
    store = await this.#open(journal, blobs, copies)
    await this.#damage(journal, blobs, present)
    try {
      const failure =
        (await this.#read(store, truth, isWhole)) ??
        (await this.#readPast(store, before, gone)) ??
        (await this.#stored(journal, blobs, whole, present))
      let healed = 0
      for await (const { type } of store.log()) if (type === 'BytesHealed') healed++
      return { failure, healed }
    } finally {
      await store.close()
    }
  }

  async #open(journal: Journal, blobs: BlobStore, copies: readonly Copy[]): Promise<Store> {
    const clock = { now: () => this.#clock.time, monotonic: () => this.#clock.time }
    const ids = { next: () => hexFrom(this.#random) }
    const ports = { journal, blobs, clock, ids, hashing: await nodeHashing(), timer: systemTimer, copies }
    return openEngine(ports, { inlineMax: 16, retentionMs: 1000 })
  }

  async #fill(store: Store): Promise<Map<string, string>> {
    const truth = new Map<string, string>()
    await store.buckets.create('box')
    for (let n = 0; n < 6; n++) {
      // Two lengths, so that bytes of one object pass for those of another by their length.
      const text = Buffer.from(this.#random.bytes(n % 2 === 0 ? 6 : 40)).toString('hex')
      await store.objects.put('box', `key ${n}`, text.slice(0, n % 2 === 0 ? 12 : 80))
      truth.set(`key ${n}`, text.slice(0, n % 2 === 0 ? 12 : 80))
    }
    return truth
  }

  /** Removes some objects, and erases their bytes. */
  async #erase(store: Store, truth: Map<string, string>): Promise<readonly string[]> {
    const gone = [...truth.keys()].filter(() => this.#random.chance(0.3))
    for (const key of gone) {
      truth.delete(key)
      await store.objects.delete('box', key)
    }
    // In small steps: a clock that jumps is not believed.
    for (let n = 0; n < 4; n++) {
      this.#clock.time += 1000
      await store.buckets.create(`later${n}`)
      await store.sweep()
    }
    return gone
  }

  /** A copy with damaged, missing and exchanged bytes. */
  #spoiled(held: Held): Held {
    const spoil = (bytes: Bytes, seal: (name: string, changed: Uint8Array) => Uint8Array): Bytes => {
      const all = [...bytes.values()]
      return new Map(
        [...bytes].flatMap(([name, one]): [string, Uint8Array][] => {
          const how = this.#random.pick(['whole', 'other', 'changed', 'cut', 'gone'])
          if (how === 'gone') return []
          if (how === 'other') return [[name, seal(name, this.#random.pick(all))]]
          if (how === 'changed') return [[name, seal(name, changed(one, this.#random))]]
          return [[name, how === 'cut' ? one.subarray(0, this.#random.below(one.length)) : one]]
        }),
      )
    }
    return { blobs: spoil(held.blobs, (_name, bytes) => bytes), rows: spoil(held.rows, sealed) }
  }

  async #damage(journal: Journal, blobs: BlobStore, present: Held): Promise<void> {
    const random = this.#random
    for (const [id, bytes] of present.blobs) {
      if (random.chance(0.4)) continue
      await blobs.delete([id])
      if (random.chance(0.6)) await blobs.write(id, once(changed(bytes, random)))
    }
    for (const [key, frame] of present.rows) {
      if (random.chance(0.4)) continue
      const value = random.chance(0.6) ? changed(frame, random) : null
      await journal.commit({ events: [], rows: [{ key: Buffer.from(key, 'hex'), value }] })
    }
  }

  async #read(store: Store, truth: Map<string, string>, isWhole: boolean): Promise<string | undefined> {
    if (this.#random.chance(0.3)) await store.scrub()
    for (const [key, text] of truth) {
      const got = await textOf(store.objects.get('box', key))
      if (got instanceof StorageError ? isWhole : got !== text) return `${key} is ${String(got)} instead of ${text}`
    }
    return undefined
  }

  async #readPast(store: Store, before: number, gone: readonly string[]): Promise<string | undefined> {
    const past = await store.at(before)
    for (const key of gone) {
      const got = await textOf(past.objects.get('box', key))
      if (!(got instanceof StorageError)) return `${key} was erased, and is read: ${got}`
    }
    return undefined
  }

  /** What is stored is what was, or what the damage left; and nothing that was erased is there. */
  async #stored(journal: Journal, blobs: BlobStore, whole: Held, present: Held): Promise<string | undefined> {
    const now = await heldBy(journal, blobs)
    for (const [id, bytes] of now.blobs) {
      if (!present.blobs.has(id)) return `blob ${id} was erased, and is there`
      if (isForeign(bytes, id, whole.blobs)) return `blob ${id} has the bytes of another one`
    }
    for (const [key, frame] of now.rows) {
      if (!present.rows.has(key)) return `row ${key} was erased, and is there`
      if (isForeign(frame.subarray(5), key, new Map([...whole.rows].map(([name, one]) => [name, one.subarray(5)]))))
        return `row ${key} has the bytes of another one`
    }
    return undefined
  }
}

const isForeign = (bytes: Uint8Array, name: string, all: Bytes): boolean =>
  [...all].some(([other, one]) => other !== name && Buffer.from(one).equals(Buffer.from(bytes)))

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const at = random.below(copy.length)
  copy[at] = (copy[at] as number) ^ (1 << random.below(8))
  return copy
}

/** A frame whose checksum is right for its key. */
function sealed(key: string, frame: Uint8Array): Uint8Array {
  const copy = Buffer.from(frame)
  copy[4] = 1
  copy.writeUInt32BE(crc32(copy.subarray(4), crc32(Buffer.from(key, 'hex'))))
  return copy
}

async function heldBy(journal: Journal, blobs: BlobStore): Promise<Held> {
  const held: Held = { blobs: new Map(), rows: new Map() }
  for await (const id of blobs.list()) {
    const handle = await blobs.open(id)
    const bytes = new Uint8Array(handle.size)
    await handle.read(bytes, 0)
    await handle.close()
    held.blobs.set(id, bytes)
  }
  const cursor = journal.cursor(everyRow)
  for (const [key, value] of await cursor.next(100_000))
    if (key[0] === inlineByte) held.rows.set(Buffer.from(key).toString('hex'), Uint8Array.from(value))
  await cursor.close()
  return held
}

const copyOf = (name: string, { blobs, rows }: Held): Copy => ({
  name,
  async open(id) {
    const bytes = blobs.get(id)
    if (bytes === undefined) throw new StorageError('BlobMissing', 'No such blob.')
    return {
      size: bytes.length,
      read: async (into, start) => into.set(bytes.subarray(start, start + into.length)),
      close: async () => undefined,
    }
  },
  sideRow: async (_kind, { id }) => [...rows].find(([key]) => Buffer.from(key, 'hex').includes(id))?.[1],
})

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function textOf(getting: ReturnType<Store['objects']['get']>): Promise<string | StorageError> {
  try {
    return await (await getting).text()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return new StorageError('BlobCorrupt', error.message)
    throw error
  }
}
