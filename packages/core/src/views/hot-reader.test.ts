import { describe, expect, it } from 'vitest'
import type { RowSnapshot } from '../ports/index.ts'
import { HotReader } from './hot-reader.ts'
import { HotRows } from './hot-rows.ts'
import { rowHash } from './row-hash.ts'

/** In a table whose absent rows are remembered too. */
const keyOf = (name: number): Uint8Array => Uint8Array.of(0x28, name)
const decode = (frame: Uint8Array): { value: number } => ({ value: frame[0] as number })

/** Rows in memory, one commit at a time, which can be seen at some moment between its start and when it has settled. */
class World {
  readonly hot = new HotRows(1 << 16)
  /** What each commit left, from the first on. */
  readonly states: Map<number, number>[] = [new Map()]
  /** Commits that had settled; then the one in flight, and whether it can be seen. */
  settled = 0
  #flight: { readonly number: number; seen: boolean } | undefined
  reads = 0

  get busy(): boolean {
    return this.#flight !== undefined
  }

  begin(changes: ReadonlyMap<number, number>): void {
    const number = this.hot.commitStarts([...changes.keys()].map((name) => ({ key: keyOf(name), value: null })))
    this.states.push(new Map([...(this.states.at(-1) as Map<number, number>), ...changes]))
    this.#flight = { number, seen: false }
  }

  show(): void {
    if (this.#flight !== undefined) this.#flight.seen = true
  }

  settle(): void {
    if (this.#flight === undefined) return
    this.hot.commitSettled(this.#flight.number)
    this.#flight = undefined
    this.settled++
  }

  reader(): HotReader {
    return new HotReader(this.hot, () => this.#snapshot())
  }

  #snapshot(): RowSnapshot {
    const rows = this.states[this.settled + (this.#flight?.seen === true ? 1 : 0)] as Map<number, number>
    const get = async (key: Uint8Array) => {
      this.reads++
      const value = rows.get(key[1] as number)
      return value === undefined ? undefined : Uint8Array.of(value)
    }
    const unused = () => {
      throw new Error('unused')
    }
    return { get, getMany: unused, cursor: unused, close: async () => undefined }
  }
}

/** Every row has the value 21, when it has arrived. */
function lateSnapshot(arriving: Promise<void>): RowSnapshot {
  const unused = () => {
    throw new Error('unused')
  }
  return {
    get: () => arriving.then(() => Uint8Array.of(21)),
    getMany: unused,
    cursor: unused,
    close: async () => undefined,
  }
}

const value = async (reader: HotReader, name: number): Promise<number | undefined> =>
  (await reader.row(keyOf(name), decode))?.value

function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Asking {
  readonly reader: HotReader
  readonly since: number
  readonly seen: [name: number, value: number | undefined][]
}

/** One state during the read explains all that it saw. */
const isExplained = (world: World, { since, seen }: Asking): boolean =>
  world.states.slice(since).some((rows) => seen.every(([name, found]) => rows.get(name) === found))

describe('a reader of hot rows', () => {
  it('remembers that a row is absent in a table where most are, until a commit adds it', async () => {
    const world = new World()
    expect(await value(world.reader(), 1)).toBeUndefined()
    expect(await value(world.reader(), 1)).toBeUndefined()
    expect(world.reads).toBe(1)
    world.begin(new Map([[1, 5]]))
    expect(await value(world.reader(), 1)).toBeUndefined()
    world.settle()
    expect(await value(world.reader(), 1)).toBe(5)
    expect(await value(world.reader(), 1)).toBe(5)
    expect(world.reads).toBe(3)
  })

  it('keeps answers about the past, but none that rows of two states may have led to', async () => {
    const world = new World()
    world.begin(new Map([[1, 1]]))
    world.settle()
    expect(await value(world.reader(), 1)).toBe(1)

    const torn = world.reader()
    expect(await value(torn, 1)).toBe(1)
    world.begin(new Map([[1, 2]]))
    world.settle()
    expect(await value(torn, 2)).toBeUndefined()
    torn.keepAnswer('wrong', { seq: 1, in: 'past' })
    expect(world.reader().answer('wrong')).toBeUndefined()

    world.reader().keepAnswer('right', { seq: 1, in: 'past' })
    world.begin(new Map([[1, 3]]))
    world.settle()
    expect(world.reader().answer('right')).toEqual({ seq: 1, in: 'past' })
  })

  it('reads a row of the journal once, until it is touched', async () => {
    const world = new World()
    world.begin(new Map([[1, 10]]))
    world.show()
    world.settle()
    for (let i = 0; i < 3; i++) expect(await value(world.reader(), 1)).toBe(10)
    expect(world.reads).toBe(1)

    world.begin(new Map([[1, 11]]))
    // Not settled: visible perhaps, and not acknowledged.
    expect(await value(world.reader(), 1)).toBe(10)
    world.show()
    expect(await value(world.reader(), 1)).toBe(11)
    world.settle()
    expect(await value(world.reader(), 1)).toBe(11)
    expect(world.reads).toBe(4)
    expect(await value(world.reader(), 1)).toBe(11)
    expect(world.reads).toBe(4)
  })

  it('knows when its hot rows are not those of its snapshot', async () => {
    const world = new World()
    world.begin(
      new Map([
        [1, 10],
        [2, 20],
      ]),
    )
    world.show()
    world.settle()
    await value(world.reader(), 1)
    const reader = world.reader()
    expect(await value(reader, 1)).toBe(10)
    world.begin(
      new Map([
        [1, 11],
        [2, 21],
      ]),
    )
    world.show()
    world.settle()
    expect(await value(reader, 2)).toBe(21)
    expect(reader.torn).toBe(true)
    const pinned = world.reader()
    await pinned.pin()
    expect([await value(pinned, 1), await value(pinned, 2), pinned.torn]).toEqual([11, 21, false])
  })

  it('knows it too if another process takes the snapshot, until its first row arrives', async () => {
    for (const [isEarly, isTorn] of [
      [true, true],
      [false, false],
    ] as const) {
      const hot = new HotRows(1 << 16)
      hot.keep(keyOf(1), { value: 10 }, 1, hot.settled)
      let arrive: () => void = () => undefined
      const arriving = new Promise<void>((resolve) => (arrive = resolve))
      const reader = HotReader.late(hot, () => lateSnapshot(arriving))
      const requested = value(reader, 2)
      expect(await value(reader, 1)).toBe(10)
      if (isEarly) hot.touch([rowHash(keyOf(1))])
      arrive()
      expect(await requested).toBe(21)
      if (!isEarly) hot.touch([rowHash(keyOf(1))])
      expect(reader.torn).toBe(isTorn)
      expect(hot.find(keyOf(2), hot.settled)).toEqual({ value: 21 })
    }
  })

  it('does not keep a row of a snapshot that was announced as changed on its way', async () => {
    const hot = new HotRows(1 << 16)
    const reader = HotReader.late(hot, () => lateSnapshot(Promise.resolve()))
    const requested = value(reader, 2)
    hot.touch([rowHash(keyOf(2))])
    expect(await requested).toBe(21)
    expect(hot.find(keyOf(2), hot.settled)).toBeUndefined()
  })

  it('is torn when views are made again before it has a snapshot', async () => {
    const world = new World()
    const reader = world.reader()
    world.hot.forgetAll()
    await value(reader, 1)
    expect(reader.torn).toBe(true)
  })

  it('gives rows that no caller can change', async () => {
    const world = new World()
    world.begin(new Map([[1, 10]]))
    world.show()
    world.settle()
    await value(world.reader(), 1)
    const row = await world.reader().row(keyOf(1), decode)
    expect(() => Object.assign(row as object, { value: 7 })).toThrow(TypeError)
  })

  it('keeps no more than it may, and nothing at 0', () => {
    for (const [bytesMax, most] of [
      [0, 0],
      [10_000, 50],
    ] as const) {
      const hot = new HotRows(bytesMax)
      for (let name = 0; name < 200; name++) hot.keep(keyOf(name), { name }, 100, 0)
      const kept = Array.from({ length: 200 }, (_, name) => hot.find(keyOf(name), 0)).filter(Boolean).length
      expect(kept).toBeLessThanOrEqual(most)
      expect(kept > 0).toBe(most > 0)
    }
  })

  it.each(Array.from({ length: 50 }, (_, seed) => seed))(
    'sees one state, whatever happens meanwhile (seed %i)',
    async (seed) => {
      const world = new World()
      const random = randomFrom(seed)
      const asking: Asking[] = []
      let [torn, whole, next] = [0, 0, 1]
      for (let step = 0; step < 2000; step++) {
        const choice = random(10)
        if (choice === 0 && !world.busy) {
          const changes = new Map(Array.from({ length: 1 + random(3) }, () => [random(12), next++ % 256] as const))
          world.begin(changes)
        } else if (choice === 1) world.show()
        else if (choice === 2 && random(2) === 0) {
          world.show()
          world.settle()
        } else if (choice < 5) asking.push({ reader: world.reader(), since: world.settled, seen: [] })
        else if (asking.length > 0) {
          const at = random(asking.length)
          const one = asking[at] as Asking
          const name = random(12)
          one.seen.push([name, await value(one.reader, name)])
          if (one.seen.length < 4) continue
          asking.splice(at, 1)
          if (one.reader.torn) torn++
          else {
            whole++
            expect(isExplained(world, one), JSON.stringify(one.seen)).toBe(true)
          }
        }
      }
      expect(whole).toBeGreaterThan(50)
      expect(torn).toBeGreaterThan(0)
      expect(world.reads).toBeLessThan(4 * (whole + torn + asking.length))
    },
  )
})
