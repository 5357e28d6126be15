/** Subscriptions of two engines on one journal. */
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { settle, SimulatedTime } from '../api/simulated-time.fixture.ts'
import type { Store } from '../api/store.ts'
import type { SubscriptionOptions } from '../api/types/index.ts'
import type { SubscriptionBatch } from './walk-batches.ts'

let time: SimulatedTime
let ports: MemoryPorts & { readonly timer: SimulatedTime }
let one: Store
let two: Store

const open = () => openEngine(ports, { inlineMax: 64, retentionMs: 1e12 })
const iterate = (store: Store, given: SubscriptionOptions = { leaseMs: 6000 }) =>
  store.subscribe('indexer', given)[Symbol.asyncIterator]() as AsyncGenerator<SubscriptionBatch>
const taken = async (iterator: AsyncIterator<SubscriptionBatch>): Promise<SubscriptionBatch> => {
  const { value, done } = await iterator.next()
  if (done === true) throw new Error('The iteration has ended.')
  return value
}
const seqsOf = ({ events }: SubscriptionBatch) => events.map(({ seq }) => seq)

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  const note = () => (done = true)
  promise.then(note, note)
  await settle()
  return done
}

beforeEach(async () => {
  time = new SimulatedTime()
  ports = { ...memoryPorts(), clock: time as never, timer: time }
  ports.journal.exclusive = false
  one = await open()
  two = await open()
  await one.buckets.create('box')
})

describe.each([
  ['whose journal has a clock', true],
  ['whose journal has no clock', false],
])('two engines %s', (_what, hasClock) => {
  beforeEach(() => {
    if (hasClock) ports.journal.now = async () => time.now()
  })

  it('get the events that the other one committed', async () => {
    const iterator = iterate(two)
    await (await taken(iterator)).acknowledge()
    const next = taken(iterator)
    await one.objects.put('box', 'k', 'x')
    await time.pass(1000)
    expect(seqsOf(await next)).toEqual([2])
  })

  it('hold a subscription one at a time, also while there are no events', async () => {
    const first = iterate(one)
    await (await taken(first)).acknowledge()
    const idle = first.next()
    const second = iterate(two).next()
    await time.pass(60_000)
    expect([await isSettled(idle), await isSettled(second)]).toEqual([false, false])
    expect(await two.subscriptions.list()).toMatchObject([{ cursor: 1, lease: { epoch: 1, isHere: false } }])
    await one.objects.put('box', 'k', 'x')
    await time.pass(1000)
    expect([await isSettled(idle), await isSettled(second)]).toEqual([true, false])
  })

  it('hand a subscription over when one of them closes', async () => {
    const first = iterate(one)
    await (await taken(first)).acknowledge()
    const second = taken(iterate(two))
    await time.pass(1000)
    await one.close()
    await two.objects.put('box', 'k', 'x')
    await time.pass(1000)
    expect(seqsOf(await second)).toEqual([2])
    expect(await two.subscriptions.list()).toMatchObject([{ lease: { epoch: 2, isHere: true } }])
  })

  it('keep an acknowledgement that was not awaited before the end of the loop', async () => {
    const iterator = iterate(one)
    const batch = await taken(iterator)
    const acknowledging = batch.acknowledge()
    await iterator.return(undefined)
    await acknowledging
    expect(await two.subscriptions.list()).toEqual([
      { name: 'indexer', filter: {}, keepsBytes: false, cursor: 1, lag: 0 },
    ])
  })

  it('take over from one that sleeps past its lease, whose acknowledgement is refused when it wakes', async () => {
    const first = iterate(one)
    const batch = await taken(first)
    const second = taken(iterate(two))
    await time.pass(5500)
    expect(await isSettled(second)).toBe(false)
    await time.pass(1500)
    expect(seqsOf(await second)).toEqual([1])
    expect(await codeOf(batch.acknowledge())).toBe('SubscriptionLost')
    expect(await codeOf(first.next())).toBe('SubscriptionLost')
    await (await second).acknowledge()
    expect(await two.subscriptions.list()).toMatchObject([{ cursor: 1, lease: { epoch: 2 } }])
  })

  it('take over from one that was killed while it waited', async () => {
    const first = iterate(one)
    await (await taken(first)).acknowledge()
    const dead = Object.assign(Object.create(ports.timer) as SimulatedTime, {
      pause: () => new Promise(() => undefined),
    })
    const { timer: _alive, ...others } = ports
    const killed = await openEngine({ ...others, timer: dead }, { inlineMax: 64 })
    await first.return(undefined)
    void iterate(killed).next()
    await time.pass(1000)
    expect(await two.subscriptions.list()).toMatchObject([{ lease: { epoch: 2, isHere: false } }])
    await two.objects.put('box', 'k', 'x')
    const second = taken(iterate(two))
    await time.pass(5000)
    expect(await isSettled(second)).toBe(false)
    await time.pass(3000)
    expect(seqsOf(await second)).toEqual([2])
  })

  it('never both move the cursor', async () => {
    const seen: number[] = []
    let deliveries = 0
    const consume = async (store: Store) => {
      for (let lost = true; lost; ) {
        lost = false
        const run = async () => {
          for await (const batch of store.subscribe('indexer', { batchMax: 3, leaseMs: 6000 })) {
            const isSlow = deliveries++ % 4 === 0
            if (isSlow) await time.pause(7000)
            await batch.acknowledge()
            seen.push(...seqsOf(batch))
          }
        }
        lost = (await codeOf(run())) === 'SubscriptionLost'
      }
    }
    for (let i = 0; i < 40; i++) await one.objects.put('box', `k${i}`, 'x')
    const consumers = [consume(one), consume(two)]
    await time.pass(600_000)
    expect(seen).toEqual(Array.from({ length: 41 }, (_, i) => i + 1))
    await Promise.all([one.close(), two.close()])
    await Promise.all(consumers)
  })
})
