import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const day = 86_400_000
let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 16, retentionMs: 365 * day, actor: { id: 'ann', name: 'Ann' } })
  await store.buckets.create('base', { versioning: 'Enabled', settings: { ObjectLock: {} } })
})

const bodies = {
  'without bytes': '',
  'with few bytes': 'few',
  'with a blob': 'x'.repeat(1000),
}
const locks = {
  'a legal hold': () => ({ legalHold: 'ON' as const }),
  'a retention': () => ({ retention: { mode: 'GOVERNANCE' as const, until: ports.clock.time + 30 * day } }),
}
/** Each makes a fork `try` that shows the version, which the base loses, before or after. */
const forks: Readonly<Record<string, (lose: () => Promise<void>, seq: number) => Promise<void>>> = {
  'a fork from before': async (lose) => {
    await store.buckets.fork('base', 'try')
    await lose()
  },
  'a fork of the past': async (lose, seq) => {
    await lose()
    await store.buckets.fork('base', 'try', { at: seq })
  },
  'a fork of a fork': async (lose) => {
    await store.buckets.fork('base', 'middle')
    await lose()
    await store.buckets.fork('middle', 'try')
    await unlockAndRemove('middle')
  },
  'a fork of a fork from before': async (lose) => {
    await store.buckets.fork('base', 'middle')
    await store.buckets.fork('middle', 'try')
    await lose()
    await unlockAndRemove('middle')
  },
  'a fork whose base is gone, and another one has its name': async (lose) => {
    await store.buckets.fork('base', 'try')
    await lose()
    await store.buckets.delete('base')
    await store.buckets.create('base')
    await store.objects.put('base', 'key', 'another')
  },
}

async function unlockAndRemove(bucket: string): Promise<void> {
  const { versionId } = await store.objects.head(bucket, 'key')
  const { retention, legalHold } = await store.objects.annotations(bucket, 'key')
  if (legalHold !== undefined) await store.objects.annotate(bucket, 'key', { kind: 'legalHold', value: 'OFF' })
  await store.versions.delete(bucket, 'key', versionId ?? 'null', { bypassGovernance: retention !== undefined })
}

const cases = Object.keys(bodies).flatMap((body) =>
  Object.keys(locks).flatMap((lock) =>
    Object.keys(forks).flatMap((fork) => [true, false].map((isSwept) => ({ body, lock, fork, isSwept }))),
  ),
) as readonly { body: keyof typeof bodies; lock: keyof typeof locks; fork: string; isSwept: boolean }[]

describe('a locked version that only a fork shows', () => {
  it.each(cases)(
    'keeps the fork: $body, under $lock, in $fork, swept $isSwept',
    async ({ body, lock, fork, isSwept }) => {
      const { seq } = await store.objects.put('base', 'key', bodies[body], locks[lock]())
      await forks[fork]?.(() => unlockAndRemove('base'), seq)
      if (isSwept) await store.sweep()
      expect(await codeOf(store.buckets.drop('try'))).toBe('AccessDenied')
      expect(await (await store.objects.get('try', 'key')).text()).toBe(bodies[body])
      await unlockAndRemove('try')
      await store.buckets.drop('try')
    },
  )

  it('keeps the fork as long as its retention lasts, by believed time', async () => {
    await store.objects.put('base', 'key', '', locks['a retention']())
    await store.buckets.fork('base', 'try')
    await unlockAndRemove('base')
    expect(await codeOf(store.buckets.drop('try'))).toBe('AccessDenied')
    for (let hours = 0; hours < 31 * 24; hours++) {
      ports.clock.time += day / 24
      store.clock.observe()
    }
    await store.buckets.drop('try')
  })
})

it('a fork can be dropped while its base has the locked versions too', async () => {
  for (const lock of Object.values(locks)) await store.objects.put('base', 'key', '', lock())
  await store.buckets.fork('base', 'try')
  await store.buckets.fork('try', 'again')
  await store.buckets.drop('again')
  await store.buckets.drop('try')
})
