/**
 * Random schedules of consumers that take, acknowledge, sleep, break and are killed, in one engine or in two: what is
 * acknowledged is every event that matches, in order, each exactly once. `npm run suite subscriptions` runs 500 of each kind.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { list } from '../api/answers.fixture.ts'
import { memoryJournal, type MemoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { settle, SimulatedTime } from '../api/simulated-time.fixture.ts'
import type { Store } from '../api/store.ts'
import type { Commit } from '../ports/index.ts'
import type { SubscriptionBatch } from './walk-batches.ts'

const runs = Number(process.env['VARVE_SUBSCRIPTION_SCHEDULES'] ?? 12)
const consumersMax = 3
const filter = { bucket: 'box', prefix: 'a' }

const consumer = fc.nat(consumersMax - 1)
const engine = fc.nat(1)
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('put' as const), engine, key: fc.constantFrom('a', 'a/1', 'b') }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('next' as const), consumer, engine }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), consumer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), consumer }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(50, 500, 2000, 7000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const), engine, kills: fc.boolean() }) },
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

interface Consumer {
  readonly engine: Opening
  readonly iterator: AsyncIterator<SubscriptionBatch>
  isWaiting: boolean
  batch?: SubscriptionBatch | undefined
}

interface Opening {
  readonly store: Store
  readonly isDead: boolean
  kill(): void
}

/** Errors that a schedule can cause. */
const isExpected = (error: unknown): boolean => isStorageError(error, 'SubscriptionLost', 'StoreClosed')

class Run {
  readonly acknowledged: number[] = []
  /** Errors that no schedule may cause. */
  readonly unexpected: unknown[] = []
  readonly #time = new SimulatedTime()
  readonly #journal: MemoryJournal = memoryJournal()
  readonly #engines: Opening[] = []
  readonly #consumers: (Consumer | undefined)[] = []

  async begin(engines: number, hasClock: boolean): Promise<void> {
    this.#journal.exclusive = engines === 1
    if (hasClock) this.#journal.now = async () => this.#time.now()
    for (let i = 0; i < engines; i++) this.#engines.push(await this.#open())
    await this.#engineAt(0).store.buckets.create('box')
  }

  async act(given: Action): Promise<void> {
    switch (given.do) {
      case 'put':
        await this.#engineAt(given.engine).store.objects.put('box', given.key, 'x')
        break
      case 'next':
        this.#next(given.consumer, given.engine)
        break
      case 'acknowledge':
        this.#acknowledge(this.#consumers[given.consumer])
        break
      case 'end':
        await this.#end(given.consumer)
        break
      case 'pass':
        await this.#time.pass(given.ms)
        break
      case 'reopen':
        await this.#reopen(given.engine % this.#engines.length, given.kills)
    }
    await settle()
  }

  /** Reads what is left. Resolves with the positions of all events that match. */
  async finish(): Promise<readonly number[]> {
    for (const [i] of this.#engines.entries()) await this.#reopen(i, true)
    await this.#time.pass(60_000)
    const { store } = this.#engineAt(0)
    const wanted = (await list(store.log(filter))).map(({ seq }) => seq)
    const reading = this.#readAll(store, wanted.length)
    await this.#time.pass(60_000)
    await reading
    expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
    return wanted
  }

  async #readAll(store: Store, count: number): Promise<void> {
    if (this.acknowledged.length >= count) return
    for await (const batch of store.subscribe('reader', { filter })) {
      await batch.acknowledge()
      this.acknowledged.push(...batch.events.map(({ seq }) => seq))
      if (this.acknowledged.length >= count) break
    }
  }

  #engineAt(i: number): Opening {
    return this.#engines[i % this.#engines.length] as Opening
  }

  async #open(): Promise<Opening> {
    const life = { isDead: false }
    const commit = (given: Commit) => (life.isDead ? Promise.reject(new Error('killed')) : this.#journal.commit(given))
    const ports = { ...memoryPorts(), journal: { ...this.#journal, commit }, clock: this.#time, timer: this.#time }
    // Each opening makes ids of its own, as other processes do.
    let count = this.#journal.commits * 1000
    const ids = { next: () => (++count).toString(16).padStart(32, '0') }
    const store = await openEngine({ ...ports, ids }, { inlineMax: 64, retentionMs: 1e12 })
    return Object.assign(life, { store, kill: () => void (life.isDead = true) })
  }

  #next(at: number, engineAt: number): void {
    const consumer = (this.#consumers[at] ??= this.#subscribe(this.#engineAt(engineAt)))
    if (consumer.isWaiting) return
    consumer.isWaiting = true
    consumer.iterator.next().then(
      ({ done, value }) => {
        consumer.isWaiting = false
        consumer.batch = value as SubscriptionBatch | undefined
        if (done === true) this.#forget(consumer)
      },
      (error: unknown) => this.#endedBy(consumer, error),
    )
  }

  #subscribe(engine: Opening): Consumer {
    const options = { filter, batchMax: 2, leaseMs: 3000 }
    return { engine, iterator: engine.store.subscribe('reader', options)[Symbol.asyncIterator](), isWaiting: false }
  }

  #acknowledge(consumer: Consumer | undefined): void {
    const batch = consumer?.batch
    if (consumer === undefined || batch === undefined) return
    consumer.batch = undefined
    batch.acknowledge().then(
      () => this.acknowledged.push(...batch.events.map(({ seq }) => seq)),
      (error: unknown) => this.#endedBy(consumer, error),
    )
  }

  async #end(at: number): Promise<void> {
    const consumer = this.#consumers[at]
    if (consumer === undefined || consumer.isWaiting) return
    this.#forget(consumer)
    await consumer.iterator.return?.()
  }

  async #reopen(at: number, kills: boolean): Promise<void> {
    const engine = this.#engines[at] as Opening
    if (kills) engine.kill()
    else await engine.store.close()
    for (const consumer of this.#consumers) if (consumer?.engine === engine) this.#forget(consumer)
    this.#engines[at] = await this.#open()
  }

  #endedBy(consumer: Consumer, error: unknown): void {
    this.#forget(consumer)
    // A process that was killed has no errors.
    if (!consumer.engine.isDead && !isExpected(error)) this.unexpected.push(error)
  }

  #forget(consumer: Consumer): void {
    const at = this.#consumers.indexOf(consumer)
    if (at >= 0) this.#consumers[at] = undefined
  }
}

describe.each([
  ['in one engine', 1, false],
  ['in two engines on one journal with a clock', 2, true],
  ['in two engines on one journal without a clock', 2, false],
])('consumers of a subscription %s', (_where, engines, hasClock) => {
  it(
    `acknowledge each event exactly once, in order: ${runs} schedules`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60 }), async (actions) => {
          const run = new Run()
          await run.begin(engines, hasClock)
          for (const each of actions) await run.act(each)
          const wanted = await run.finish()
          expect(run.unexpected).toEqual([])
          expect(run.acknowledged).toEqual(wanted)
        }),
        { numRuns: runs },
      )
    },
    20_000 + runs * 500,
  )
})
