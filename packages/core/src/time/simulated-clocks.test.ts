/**
 * Random lives of a store with clocks that are wrong for less than a day of running: nothing is erased before its retention has truly
 * passed, less an hour; no lock is lost that had more than thirty days; what is due goes in the end; `at(now)` has all that was answered.
 */
import { describe, expect, it } from 'vitest'
import type { ObservedTime } from '../ports/index.ts'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { SimulatedTime } from '../api/simulated-time.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day
const step = 10 * minute
const lockMs = 200 * day

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

class Life {
  readonly time = new SimulatedTime()
  readonly right = this.time.offset
  readonly #random: () => number
  readonly #retentionMs: number
  readonly #ports = memoryPorts()
  readonly #writtenAt = new Map<number, number>()
  #kept: ObservedTime | undefined
  #store: Store | undefined
  #openedAt = { wall: 0, passed: 0 }
  #last = 0
  #locked = ''
  erased = 0
  readonly wrong: string[] = []

  constructor(seed: number, retentionMs: number) {
    this.#random = randomFrom(seed)
    this.#retentionMs = retentionMs
  }

  get store(): Store {
    if (this.#store === undefined) throw new TypeError('The store is closed.')
    return this.#store
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T
  }

  async open(): Promise<void> {
    const { clock: _, ...ports } = this.#ports
    const record = { read: async () => this.#kept, write: async (time: ObservedTime) => void (this.#kept = time) }
    this.#openedAt = { wall: this.time.now(), passed: this.time.passed }
    const options = { inlineMax: 64, retentionMs: this.#retentionMs, observesTime: true }
    this.#store = await openEngine({ ...ports, clock: this.time, time: record }, options)
    this.#store.subscribe((events) => {
      for (const event of events) {
        this.#writtenAt.set(event.seq, this.time.passed)
        this.#checkTime(event.at)
        if (event.type !== 'ContentsErased') continue
        for (const { freedBy } of event.data.erased) this.#checkErased(freedBy)
      }
    })
  }

  /** Begins its life: with a lock that is looked at whenever something is written. */
  async begin(): Promise<void> {
    await this.open()
    await this.store.buckets.create('box')
    await this.store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const retention = { mode: 'COMPLIANCE' as const, until: this.time.now() + lockMs }
    this.#locked = (await this.store.objects.put('locked', 'k', 'bytes', { retention })).versionId
  }

  /** Whether the locked version can be removed, which is then done. */
  async unlocks(): Promise<boolean> {
    return this.store.objects.delete('locked', 'k', { versionId: this.#locked }).then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    await this.store.close()
    this.#store = undefined
  }

  async write(): Promise<void> {
    await this.store.objects.put('box', this.pick(['a', 'b', 'c']), 'bytes')
    const past = await this.store.at(new Date(this.time.now()))
    expect(past.seq).toBe(this.store.seq)
    const left = lockMs - this.time.passed
    if (left > 31 * day && (await this.unlocks())) this.wrong.push(`unlocked ${left / day} days before the end`)
  }

  async run(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      await this.time.pass(Math.min(step, left))
      this.store.clock.observe()
    }
    await this.store.sweep()
  }

  /** In an open store the log's time goes an hour ahead at most of what has passed. */
  #checkTime(at: number): void {
    const sinceOpening = this.#openedAt.wall + this.time.passed - this.#openedAt.passed
    const latest = Math.max(this.#last, sinceOpening + hour, this.right + this.time.passed)
    if (at > latest) this.wrong.push(`an event ${(at - latest) / hour} hours too late`)
    this.#last = Math.max(this.#last, at)
  }

  #checkErased(freedBy: number): void {
    this.erased++
    const age = this.time.passed - (this.#writtenAt.get(freedBy) ?? 0)
    if (age < this.#retentionMs - hour) this.wrong.push(`erased what event ${freedBy} freed after ${age / day} days`)
  }

  async garbage(): Promise<number> {
    let count = 0
    for await (const event of this.store.log()) {
      if ('replaces' in event.data && event.data.replaces !== undefined) count++
    }
    return count - this.erased
  }
}

type Act = (life: Life) => Promise<void>

/** The clock is wrong for a while, and right again before the store is closed. */
const wrongBy =
  (ms: number): Act =>
  async (life) => {
    life.time.offset = life.right + ms
    await life.write()
    await life.run(life.pick([0, hour, 7 * hour, 20 * hour]))
    await life.write()
    life.time.offset = life.right
  }

const closedFor =
  (ms: number, wrong = 0): Act =>
  async (life) => {
    await life.close()
    life.time.sleep(ms)
    life.time.offset = life.right + wrong
    await life.open()
    if (wrong !== 0) await wrongBy(wrong)(life)
  }

const acts: readonly Act[] = [
  (life) => life.write(),
  (life) => life.run(life.pick([step, hour, 3 * hour])),
  (life) => life.run(30 * hour),
  wrongBy(10 * year),
  wrongBy(2 * day),
  wrongBy(-5 * day),
  wrongBy(-40 * year),
  closedFor(15 * hour),
  closedFor(9 * day),
  closedFor(0),
  closedFor(hour, 10 * year),
  closedFor(3 * day, 20 * day),
  closedFor(6 * day, -2 * day),
  closedFor(6 * day, -30 * day),
  closedFor(minute, -10 * year),
  async (life) => life.time.sleep(7 * day),
  async (life) => life.time.sleep(life.pick([hour, 9 * hour, 7 * day]), { counted: false }),
]

const lives = Number(process.env['VARVE_CLOCK_LIVES'] ?? 3)

describe('lives with wrong clocks', () => {
  it.each([3 * hour, 2 * day, 30 * day])(
    'retain for %i ms, and then erase',
    async (retentionMs) => {
      for (let seed = 1; seed <= lives; seed++) {
        const life = new Life(seed * 7 + retentionMs / hour, retentionMs)
        await life.begin()
        const done: number[] = []
        try {
          for (let i = 0; i < 40; i++) {
            const act = life.pick(acts)
            done.push(acts.indexOf(act))
            await life.write()
            await act(life)
            expect(life.wrong).toEqual([])
          }
          expect(life.time.offset).toBe(life.right)
          await life.run(retentionMs * 1.1 + 2 * day)
          await life.store.clock.accept()
          if (life.time.passed > lockMs) expect(await life.unlocks(), 'the lock has ended').toBe(true)
          expect(await life.garbage(), 'everything due is erased in the end').toBe(0)
        } catch (error) {
          throw new Error(`seed ${seed}, acts ${done.join(' ')}`, { cause: error })
        }
        await life.close()
      }
    },
    120_000,
  )
})
