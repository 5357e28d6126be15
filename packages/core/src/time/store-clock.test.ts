/** What a clock that was set wrong may do, and what a confirmation does. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ObservedTime } from '../ports/index.ts'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { SimulatedTime } from '../api/simulated-time.fixture.ts'
import { openEngine, openForMaintenance, type OpenOptions } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

const hour = 3_600_000
const day = 24 * hour
const year = 365 * day
const retentionMs = 30 * day

let ports: MemoryPorts
let time: SimulatedTime
let kept: ObservedTime | undefined
let store: Store

const record = { read: async () => kept, write: async (next: ObservedTime) => void (kept = next) }

const portsNow = () => ({ ...ports, clock: time, time: record })

async function open(options: OpenOptions = {}): Promise<void> {
  store = await openEngine(portsNow(), { inlineMax: 64, retentionMs, observesTime: true, ...options })
}

async function run(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10 * 60_000) {
    await time.pass(Math.min(left, 10 * 60_000))
    store.clock.observe()
  }
}

async function closedFor(ms: number): Promise<void> {
  await store.close()
  time.sleep(ms)
  await open()
}

beforeEach(async () => {
  ports = memoryPorts()
  time = new SimulatedTime()
  kept = undefined
  await open()
  await store.buckets.create('box', { versioning: 'Enabled', settings: { ObjectLock: {} } })
})

const erased = async (): Promise<number> => (await store.sweep()).erased
const lockedFor = async (ms: number): Promise<string> => {
  const retention = { mode: 'COMPLIANCE' as const, until: time.now() + ms }
  return (await store.objects.put('box', 'locked', 'bytes', { retention })).versionId
}
const remove = (versionId: string) =>
  store.objects.delete('box', 'locked', { versionId }).then(
    () => 'removed',
    (error: { readonly code: string }) => error.code,
  )
const freeSome = async (): Promise<void> => {
  const { versionId } = await store.objects.put('box', 'gone', 'bytes')
  await store.objects.delete('box', 'gone', { versionId })
}

describe('a log whose record of time is lost', () => {
  it('counts no stamp that is still to come as age', async () => {
    await freeSome()
    await store.close()
    time.offset += 10 * year
    await open()
    await store.objects.put('box', 'k', 'meanwhile')
    await store.close()
    time.offset -= 10 * year
    kept = undefined
    await open()
    expect(await erased()).toBe(0)
  })

  it('is measured by the clock of the journal where that shows less than the clock of the machine', async () => {
    await freeSome()
    const version = await lockedFor(5 * year)
    const right = time.offset
    Object.assign(ports.journal, { now: async () => right + time.passed })
    time.offset += 10 * year
    for (const opening of [1, 2, 3]) {
      await store.close()
      kept = undefined
      await open()
      await store.objects.put('box', 'k', `ahead at opening ${opening}`)
      expect(await erased()).toBe(0)
      expect(await remove(version)).toBe('AccessDenied')
    }
    time.offset = right
    await store.close()
    kept = undefined
    await open()
    await run(31 * day)
    expect(await erased()).toBe(1)
    expect(await remove(version)).toBe('AccessDenied')
  })
})

describe('a clock that is ten years ahead while the store is open', () => {
  it('erases nothing, ends no lock, and is forgotten when it is right again', async () => {
    await freeSome()
    const version = await lockedFor(5 * year)
    time.offset += 10 * year
    await store.objects.put('box', 'k', 'meanwhile')
    expect(store.clock.status()).toMatchObject({ state: 'ahead', aheadMs: 10 * year })
    expect(await erased()).toBe(0)
    expect(await remove(version)).toBe('AccessDenied')
    await run(3 * day)
    expect(await erased()).toBe(0)
    expect(await remove(version)).toBe('AccessDenied')
    time.offset -= 10 * year
    await run(2 * hour)
    expect(store.clock.status().state).toBe('plausible')
    await store.objects.put('box', 'k', 'after')
    const { lastModified } = await store.objects.head('box', 'k')
    expect(Math.abs(lastModified.getTime() - time.now())).toBeLessThanOrEqual(hour)
    expect((await store.at(new Date(time.now()))).seq).toBe(store.seq)
    await run(28 * day)
    expect(await erased()).toBe(1)
  })

  it('counts once it is confirmed', async () => {
    await freeSome()
    const version = await lockedFor(5 * year)
    time.offset += 10 * year
    expect(await store.clock.accept()).toMatchObject({ state: 'plausible', aheadMs: 0, waitingMs: 0 })
    await store.objects.put('box', 'k', 'bytes')
    expect((await store.objects.head('box', 'k')).lastModified.getTime()).toBe(time.now())
    expect(await remove(version)).toBe('removed')
  })
})

describe('a store that is opened with a clock ten years ahead', () => {
  it('keeps what is retained and locked, and at(now) has what was answered when the clock is right again', async () => {
    await freeSome()
    const version = await lockedFor(5 * year)
    time.offset += 10 * year
    await closedFor(hour)
    expect(store.clock.status()).toMatchObject({ state: 'waiting' })
    await store.objects.put('box', 'k', 'ahead')
    expect(await erased()).toBe(0)
    expect(await remove(version)).toBe('AccessDenied')
    await run(20 * hour)
    expect(await erased()).toBe(0)
    time.offset -= 10 * year
    await run(hour)
    await closedFor(hour)
    const before = store.seq
    await store.objects.put('box', 'k', 'right again')
    const past = await store.at(new Date(time.now()))
    expect(past.seq).toBe(store.seq)
    expect(await (await past.objects.get('box', 'k')).text()).toBe('right again')
    await expect(store.at(new Date(time.now() - 30 * day))).rejects.toMatchObject({ code: 'MomentOutOfRange' })
    expect(before).toBeGreaterThan(0)
    expect(await remove(version)).toBe('AccessDenied')
    await freeSome()
    await run(31 * day)
    expect(await erased()).toBe(2)
  })
})

describe('what falls due while the store is closed', () => {
  it('waits for a day of running, and a lock of more than thirty days for a confirmation', async () => {
    await freeSome()
    const [short, long] = [await lockedFor(20 * day), await lockedFor(60 * day)]
    // The opening after the one they were written in is the first whose gap counts.
    await closedFor(0)
    await closedFor(90 * day)
    expect(await erased()).toBe(0)
    expect(await remove(short)).toBe('removed')
    expect(await remove(long)).toBe('AccessDenied')
    await run(23 * hour)
    expect(await erased()).toBe(0)
    await run(2 * hour)
    expect(await erased()).toBe(1)
    expect(await remove(long)).toBe('AccessDenied')
    await store.clock.accept()
    expect(await remove(long)).toBe('removed')
  })

  it('goes in an app that runs two hours a day and is closed every night', async () => {
    await freeSome()
    let days = 0
    for (; days < 90 && (await erased()) === 0; days++) {
      await run(2 * hour)
      expect(store.clock.status().aheadMs).toBe(0)
      await closedFor(22 * hour)
    }
    expect(days).toBeGreaterThanOrEqual(30)
    expect(days).toBeLessThanOrEqual(45)
  })

  it('waits likewise after a week asleep, and the log has the right time at once', async () => {
    await freeSome()
    await run(25 * day)
    time.sleep(7 * day)
    expect(await erased()).toBe(0)
    await store.objects.put('box', 'k', 'awake')
    expect((await store.objects.head('box', 'k')).lastModified.getTime()).toBe(time.now())
    await run(23 * hour)
    expect(await erased()).toBe(0)
    await run(2 * hour)
    expect(await erased()).toBe(1)
  })
})

it('erases at once what nothing retains, whatever the clock shows', async () => {
  await store.close()
  await open({ retentionMs: 0 })
  for (const jump of [10 * year, -20 * year, 0]) {
    time.offset += jump
    await freeSome()
    await expect.poll(() => erased()).toBe(0)
    let freed = 0
    for await (const { type } of store.log())
      freed += type === 'VersionRemoved' ? 1 : type === 'ContentsErased' ? -1 : 0
    expect(freed).toBe(0)
  }
})

it('is confirmed by maintenance for the next owner', async () => {
  const version = await lockedFor(60 * day)
  await store.close()
  time.sleep(90 * day)
  const maintenance = await openForMaintenance(portsNow())
  expect(maintenance.clock.status()).toMatchObject({ state: 'waiting' })
  await maintenance.clock.accept()
  await maintenance.close()
  await open()
  expect(store.clock.status()).toMatchObject({ state: 'plausible', waitingMs: 0 })
  expect(await remove(version)).toBe('removed')
})

it('ages by running alone where the record of it is lost, and by the log before that', async () => {
  await freeSome()
  await run(20 * day)
  await store.objects.put('box', 'k', 'the log goes on')
  await store.close()
  kept = undefined
  await open()
  await run(9 * day)
  expect(await erased()).toBe(0)
  await run(2 * day)
  expect(await erased()).toBe(1)
})

it('lets objects expire by believed time', async () => {
  const rule = {
    id: 'r',
    status: 'Enabled' as const,
    filter: {},
    filterForm: 'filter' as const,
    expiration: { days: 10 },
  }
  await store.buckets.create('plain')
  await store.buckets.settings.put('plain', 'Lifecycle', { rules: [rule] })
  await store.objects.put('plain', 'k', 'bytes')
  time.offset += year
  expect(await store.applyLifecycle()).toMatchObject({ expired: 0 })
  time.offset -= year
  await run(9 * day)
  expect(await store.applyLifecycle()).toMatchObject({ expired: 0 })
  await run(3 * day)
  expect(await store.applyLifecycle()).toMatchObject({ expired: 1 })
})
