/** The database in memory does what another one of the same shape does, which others wrote. */
import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import type { LevelDatabase, LevelIterator, LevelSnapshot } from './level-database.ts'
import { memoryDatabase } from './memory-database.ts'

const otherDatabase = (): LevelDatabase =>
  new MemoryLevel<Uint8Array, Uint8Array>({ storeEncoding: 'view', keyEncoding: 'view', valueEncoding: 'view' })

const keys = fc.uint8Array({ minLength: 1, maxLength: 3, max: 9 })
const bounds = fc.record({
  gte: keys,
  end: keys,
  within: fc.boolean(),
  reverse: fc.boolean(),
  limit: fc.option(fc.nat(20), { nil: undefined }),
})
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ change: fc.array(fc.tuple(keys, fc.option(keys, { freq: 3 })), { maxLength: 40 }) }),
  },
  fc.constant('snapshot' as const),
  { weight: 2, arbitrary: fc.record({ walk: bounds }) },
  { weight: 3, arbitrary: fc.record({ next: fc.integer({ min: 1, max: 9 }) }) },
  fc.record({ seek: keys }),
  { weight: 2, arbitrary: fc.record({ get: keys }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Bounds = typeof bounds extends fc.Arbitrary<infer T> ? T : never

/** One database, one snapshot and one walk at a time, and all that was seen of them. */
class Subject {
  readonly seen: unknown[] = []
  readonly #db: LevelDatabase
  #snapshot: LevelSnapshot | undefined
  #walk: { readonly iterator: LevelIterator; readonly gte: Uint8Array; readonly end: Uint8Array } | undefined

  constructor(db: LevelDatabase) {
    this.#db = db
  }

  async take(each: Step): Promise<void> {
    if (each === 'snapshot') await this.#takeSnapshot()
    else if ('change' in each) await this.#write(each.change)
    else if ('walk' in each) await this.#begin(each.walk)
    else if ('next' in each) this.seen.push(await this.#walk?.iterator.nextv(each.next))
    else if ('seek' in each) this.#seek(each.seek)
    else await this.#read(each.get)
  }

  async #takeSnapshot(): Promise<void> {
    await this.#walk?.iterator.close()
    this.#walk = undefined
    await this.#snapshot?.close()
    this.#snapshot = this.#db.snapshot()
  }

  async #write(changes: readonly (readonly [key: Uint8Array, value: Uint8Array | null])[]): Promise<void> {
    const batch = this.#db.batch()
    for (const [key, value] of changes) {
      if (value === null) batch.del(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: false })
  }

  async #begin({ gte, end, within, reverse, limit = 1000 }: Bounds): Promise<void> {
    await this.#walk?.iterator.close()
    const options = { gte, ...(within ? { lte: end } : { lt: end }), reverse, limit, snapshot: this.#snapshot }
    this.#walk = { iterator: this.#db.iterator(options), gte, end }
  }

  /** Beyond its bounds a walk is over, and databases differ in whether it can come back. */
  #seek(target: Uint8Array): void {
    if (this.#walk === undefined) return
    const { iterator, gte, end } = this.#walk
    if (Buffer.compare(target, gte) >= 0 && Buffer.compare(target, end) < 0) iterator.seek(target)
  }

  async #read(key: Uint8Array): Promise<void> {
    const options = { snapshot: this.#snapshot }
    this.seen.push(this.#db.getSync(key), this.#db.getSync(key, options), await this.#db.getMany([key], options))
  }
}

const twoBytes = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 255)

describe('the database in memory', () => {
  it('shows the same rows as another database, whichever states are held', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const subjects = [new Subject(memoryDatabase()), new Subject(otherDatabase())] as const
        for (const each of steps) for (const subject of subjects) await subject.take(each)
        expect(subjects[0].seen).toEqual(subjects[1].seen)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps thousands of rows in order, and shows a state as it was', async () => {
    const db = memoryDatabase()
    const key = twoBytes
    const order = Array.from({ length: 5000 }, (_, i) => (i * 2741) % 5000)
    const batch = db.batch()
    for (const i of order) batch.put(key(i), key(i))
    await batch.write({ sync: false })
    const snapshot = db.snapshot()
    const gone = db.batch()
    for (const i of order) if (i % 3 > 0) gone.del(key(i))
    await gone.write({ sync: false })
    const all = async (options: { readonly snapshot?: LevelSnapshot }) => {
      const rows = await db.iterator({ gte: key(0), lt: key(5000), ...options }).nextv(10_000)
      return rows.map(([, value]) => ((value[0] as number) << 8) | (value[1] as number))
    }
    expect(await all({ snapshot })).toEqual(Array.from({ length: 5000 }, (_, i) => i))
    expect(await all({})).toEqual(Array.from({ length: 1667 }, (_, i) => 3 * i))
  })

  it('forks, and forks of forks, change on their own', async () => {
    const write = fc.record({ to: fc.nat(), key: fc.nat(1200), isGone: fc.boolean(), many: fc.nat(600) })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(write, fc.record({ fork: fc.nat() })), { maxLength: 30 }), async (steps) => {
        const all = [{ db: memoryDatabase(), rows: new Map<number, number>() }]
        let value = 0
        for (const each of steps) {
          const { db, rows } = all[('fork' in each ? each.fork : each.to) % all.length] as (typeof all)[number]
          if ('fork' in each) {
            all.push({ db: db.fork(), rows: new Map(rows) })
            continue
          }
          const batch = db.batch()
          for (let key = each.key; key <= each.key + each.many; key++) {
            if (each.isGone) batch.del(twoBytes(key))
            else batch.put(twoBytes(key), twoBytes(++value % 65_536))
            if (each.isGone) rows.delete(key)
            else rows.set(key, value % 65_536)
          }
          await batch.write({ sync: false })
        }
        for (const { db, rows } of all) {
          const found = await db.iterator({ gte: twoBytes(0), lt: twoBytes(65_535) }).nextv(10_000)
          const expected = [...rows].sort(([a], [b]) => a - b)
          expect(found).toEqual(expected.map(([key, one]) => [twoBytes(key), twoBytes(one)]))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('keeps what it was given when that changes', async () => {
    const db = memoryDatabase()
    const value = Uint8Array.of(1)
    const batch = db.batch()
    batch.put(Uint8Array.of(1), value)
    value[0] = 2
    await batch.write({ sync: false })
    expect(db.getSync(Uint8Array.of(1))).toEqual(Uint8Array.of(1))
  })
})
