import { beforeEach, describe, expect, it } from 'vitest'
import { dayMs } from '../settings/lifecycle.ts'
import type { LifecycleFilter, LifecycleRule } from '../settings/lifecycle.ts'
import { list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store

const noon = Date.UTC(2026, 0, 1, 12)
const midnight = (day: number) => Date.UTC(2026, 0, day)

beforeEach(async () => {
  ports = memoryPorts()
  ports.clock.time = noon
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

type Actions = Omit<LifecycleRule, 'id' | 'status' | 'filter' | 'filterForm'>

const rules = (...given: readonly (Actions & { readonly filter?: LifecycleFilter })[]) =>
  store.buckets.settings.put('box', 'Lifecycle', {
    rules: given.map((one, i) => ({ id: `rule ${i}`, status: 'Enabled', filter: {}, filterForm: 'filter', ...one })),
  })

const keys = async () => (await list(store.objects.list('box'))).map((one) => 'key' in one && one.key)
const put = (key: string, body = 'v') => store.objects.put('box', key, body)
/** Key and kind of all versions; markers with an exclamation mark. */
const versions = async () =>
  (await list(store.versions.list('box'))).map((one) =>
    'key' in one ? `${one.kind === 'marker' ? '!' : ''}${one.key}` : '',
  )

describe('objects', () => {
  it('go at the midnight after so many days, and not before', async () => {
    await rules({ expiration: { days: 1 } })
    const { expiration } = await put('k')
    expect(expiration).toEqual({ date: new Date(midnight(3)), ruleId: 'rule 0' })
    expect((await store.objects.head('box', 'k')).expiration).toEqual(expiration)
    ports.clock.time = midnight(3) - 1
    expect(await store.applyLifecycle()).toEqual({ expired: 0, removed: 0, aborted: 0, held: 0 })
    ports.clock.time = midnight(3)
    expect(await store.applyLifecycle()).toEqual({ expired: 1, removed: 0, aborted: 0, held: 0 })
    expect(await keys()).toEqual([])
  })

  it('go at a date, whenever they were made', async () => {
    await put('before')
    await rules({ expiration: { date: midnight(2) } })
    ports.clock.time = midnight(2)
    await put('after')
    await store.applyLifecycle()
    expect(await keys()).toEqual([])
  })

  it.each<readonly [string, LifecycleFilter, readonly string[]]>([
    ['prefix', { prefix: 'log/' }, ['log/a', 'log/tagged']],
    ['tag', { tags: [{ key: 'k', value: 'v' }] }, ['log/tagged']],
    ['size', { sizeGreaterThan: 5 }, ['large']],
    ['size below', { prefix: 'l', sizeLessThan: 5 }, ['log/a', 'log/tagged']],
  ])('go by %s', async (_, filter, gone) => {
    await put('large', 'six bytes and more')
    await put('log/a')
    await store.objects.put('box', 'log/tagged', 'v', { tags: [{ key: 'k', value: 'other' }] })
    await store.objects.annotate('box', 'log/tagged', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    await put('other')
    await rules({ filter, expiration: { days: 1 } })
    ports.clock.time += 2 * dayMs
    await store.applyLifecycle()
    const all = ['large', 'log/a', 'log/tagged', 'other']
    expect(await keys()).toEqual(all.filter((key) => !gone.includes(key)))
  })

  it('stay while their rule is disabled', async () => {
    await put('k')
    await store.buckets.settings.put('box', 'Lifecycle', {
      rules: [{ id: 'r', status: 'Disabled', filter: {}, filterForm: 'filter', expiration: { days: 1 } }],
    })
    ports.clock.time += 9 * dayMs
    await store.applyLifecycle()
    expect(await keys()).toEqual(['k'])
    expect(await store.objects.head('box', 'k')).not.toHaveProperty('expiration')
  })

  it('are hidden by a delete marker where versions are kept, by the actor lifecycle', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    await put('k')
    await rules({ expiration: { days: 1 } })
    ports.clock.time += 2 * dayMs
    await store.applyLifecycle()
    expect(await versions()).toEqual(['!k', 'k'])
    const [, added] = await list(store.history('box', 'k'))
    expect(added).toMatchObject({ type: 'DeleteMarkerAdded', by: { id: 'lifecycle' } })
  })

  it('show the rule that expires them first', async () => {
    await rules(
      { expiration: { days: 5 } },
      { expiration: { days: 2 } },
      { filter: { prefix: 'x' }, expiration: { days: 1 } },
    )
    expect(await put('k')).toMatchObject({ expiration: { ruleId: 'rule 1' } })
    const { versionId } = await put('k')
    expect(await store.objects.head('box', 'k', { versionId })).not.toHaveProperty('expiration')
  })
})

describe('older versions', () => {
  beforeEach(() => store.buckets.setVersioning('box', 'Enabled'))

  it('go so many days after another took their place', async () => {
    await put('k', 'one')
    ports.clock.time += 10 * dayMs
    await put('k', 'two')
    await rules({ noncurrentExpiration: { days: 1 } })
    await store.applyLifecycle()
    expect(await versions()).toEqual(['k', 'k'])
    ports.clock.time += 2 * dayMs
    expect(await store.applyLifecycle()).toMatchObject({ removed: 1 })
    expect(await versions()).toEqual(['k'])
  })

  it('stay as long as not enough newer ones are there', async () => {
    for (const body of ['1', '2', '3', '4']) await put('k', body)
    await rules({ noncurrentExpiration: { days: 1, newerVersions: 2 } })
    ports.clock.time += 3 * dayMs
    expect(await store.applyLifecycle()).toMatchObject({ removed: 1 })
    expect(await versions()).toEqual(['k', 'k', 'k'])
  })

  it('include those that are delete markers', async () => {
    await put('k')
    await store.objects.delete('box', 'k')
    await put('k')
    await rules({ noncurrentExpiration: { days: 1 } })
    ports.clock.time += 3 * dayMs
    expect(await store.applyLifecycle()).toMatchObject({ removed: 2 })
    expect(await versions()).toEqual(['k'])
  })
})

describe('delete markers', () => {
  beforeEach(() => store.buckets.setVersioning('box', 'Enabled'))

  it('go when they are all that is left of their key', async () => {
    await store.objects.delete('box', 'a')
    await put('b')
    await store.objects.delete('box', 'b')
    await store.objects.delete('box', 'c')
    await rules({ expiration: { expiredObjectDeleteMarker: true } })
    expect(await store.applyLifecycle()).toMatchObject({ removed: 2 })
    expect(await versions()).toEqual(['!b', 'b'])
  })

  it('go by days as well', async () => {
    await store.objects.delete('box', 'a')
    await rules({ expiration: { days: 1 } })
    await store.applyLifecycle()
    expect(await versions()).toEqual(['!a'])
    ports.clock.time += 2 * dayMs
    await store.applyLifecycle()
    expect(await versions()).toEqual([])
  })
})

describe('uploads', () => {
  it('are aborted so many days after they began', async () => {
    await store.uploads.create('box', 'old')
    await store.uploads.create('box', 'x/other')
    await rules({ filter: { prefix: 'o' }, abortUploadsAfterDays: 1 })
    ports.clock.time += 2 * dayMs
    expect(await store.applyLifecycle()).toMatchObject({ aborted: 1 })
    const left = await list(store.uploads.list('box'))
    expect(left.map((one) => 'key' in one && one.key)).toEqual(['x/other'])
  })
})

describe('what changed since it was looked at', () => {
  it('is left alone, because the command checks again', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const meta = { by: { id: 'lifecycle', name: 'lifecycle' }, requestId: 'r' }
    const old = await put('k', 'old')
    await put('k', 'new')
    const command = { type: 'DeleteObject', data: { bucket: 'box', key: 'k', onlyIfNewest: old.seq }, meta } as const
    expect(await store.owner.submit(command)).toEqual([])
    const { seq } = await store.objects.head('box', 'k')
    for (const onlyIf of ['noncurrent', 'lone-marker'] as const) {
      const data = { bucket: 'box', key: 'k', version: { seq, epoch: undefined }, onlyIf }
      expect(await store.owner.submit({ type: 'DeleteObjectVersion', data, meta })).toEqual([])
    }
  })
})

describe('many versions', () => {
  it('are judged page by page as they would be at once', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    await Promise.all(Array.from({ length: 2300 }, (_, i) => put(i < 1500 ? 'many' : `k${i}`, String(i))))
    await rules({ noncurrentExpiration: { days: 1, newerVersions: 3 } })
    ports.clock.time += 3 * dayMs
    expect(await store.applyLifecycle()).toEqual({ expired: 0, removed: 1496, aborted: 0, held: 0 })
  })
})
