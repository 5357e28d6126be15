/** Object Lock: what cannot be removed or released as long as the lock holds. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Retention, RetentionMode } from '../settings/object-lock.ts'
import { codeOf, list } from './answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const day = 24 * 60 * 60 * 1000
let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
  await store.buckets.create('plain')
})

const inDays = (mode: RetentionMode, days: number): Retention => ({ mode, until: ports.clock.time + days * day })
const remove = (versionId: string, bypassGovernance = false) =>
  codeOf(store.objects.delete('locked', 'k', { versionId, bypassGovernance }))

describe('a version under retention', () => {
  it.each([
    ['GOVERNANCE', 'no error'],
    ['COMPLIANCE', 'AccessDenied'],
  ] as const)('stays until it is over: %s, bypassed: %s', async (mode, bypassed) => {
    const { versionId } = await store.objects.put('locked', 'k', 'v', { retention: inDays(mode, 2) })
    expect(await store.objects.head('locked', 'k')).toMatchObject({ retention: inDays(mode, 2) })
    expect(await remove(versionId)).toBe('AccessDenied')
    ports.clock.time += day
    expect(await remove(versionId)).toBe('AccessDenied')
    expect(await remove(versionId, true)).toBe(bypassed)
    if (bypassed === 'no error') return
    ports.clock.time += day
    expect(await remove(versionId)).toBe('no error')
  })

  it('can be covered by a delete marker, which is never locked', async () => {
    const { versionId } = await store.objects.put('locked', 'k', 'v', { retention: inDays('COMPLIANCE', 2) })
    const marker = await store.objects.delete('locked', 'k')
    expect(marker.deleteMarker).toBe(true)
    expect(await remove(versionId, true)).toBe('AccessDenied')
    expect(await remove(marker.versionId ?? '')).toBe('no error')
    expect(await (await store.objects.get('locked', 'k')).text()).toBe('v')
  })

  it('keeps no other from going in the same batch', async () => {
    const [one, two] = [
      await store.objects.put('locked', 'k', 'v', { retention: inDays('GOVERNANCE', 2) }),
      await store.objects.put('locked', 'k', 'v'),
    ]
    const targets = [one, two].map(({ versionId }) => ({ key: 'k', versionId }))
    const outcomes = await store.objects.deleteMany('locked', targets)
    expect(outcomes.map((outcome) => 'error' in outcome)).toEqual([true, false])
    const bypassing = targets.map((target) => ({ ...target, bypassGovernance: true }))
    expect((await store.objects.deleteMany('locked', bypassing)).every((outcome) => 'result' in outcome)).toBe(true)
    expect(await list(store.versions.list('locked'))).toEqual([])
  })

  it('is kept longer by anybody, and shorter only where GOVERNANCE is bypassed', async () => {
    await store.objects.put('locked', 'k', 'v', { retention: inDays('GOVERNANCE', 2) })
    const retain = (value: Retention | undefined, bypassGovernance = false) =>
      codeOf(
        store.objects.annotate('locked', 'k', { kind: 'retention', ...(value && { value }) }, { bypassGovernance }),
      )
    expect(await retain(inDays('GOVERNANCE', 3))).toBe('no error')
    expect(await retain(inDays('GOVERNANCE', 1))).toBe('AccessDenied')
    expect(await retain(undefined)).toBe('AccessDenied')
    expect(await retain(inDays('GOVERNANCE', 0), true)).toBe('InvalidArgument')
    expect(await retain(inDays('GOVERNANCE', 1), true)).toBe('no error')
    expect(await retain(undefined, true)).toBe('no error')
    expect(await store.objects.head('locked', 'k')).not.toHaveProperty('retention')
    expect(await retain(inDays('COMPLIANCE', 1))).toBe('no error')
    expect(await retain(undefined, true)).toBe('AccessDenied')
  })
})

describe('a legal hold', () => {
  it('keeps a version until it is removed, for every caller', async () => {
    const { versionId } = await store.objects.put('locked', 'k', 'v', { legalHold: 'ON' })
    ports.clock.time += 1000 * 365 * day
    expect(await remove(versionId, true)).toBe('AccessDenied')
    await store.objects.annotate('locked', 'k', { kind: 'legalHold', value: 'OFF' })
    expect(await store.objects.head('locked', 'k')).toMatchObject({ legalHold: 'OFF' })
    expect(await remove(versionId)).toBe('no error')
  })
})

describe('the default of a bucket', () => {
  const set = (days: number) =>
    store.buckets.settings.put('locked', 'ObjectLock', { default: { mode: 'GOVERNANCE', days } })

  it('is given to every new version that names none, as a date', async () => {
    await set(2)
    const expected = inDays('GOVERNANCE', 2)
    const own = inDays('COMPLIANCE', 1)
    await store.objects.put('locked', 'put', 'v')
    await store.objects.copy({ bucket: 'locked', key: 'put' }, 'locked', 'copied')
    const upload = await store.uploads.create('locked', 'assembled', { legalHold: 'ON' })
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, 'v')])
    await store.objects.put('locked', 'own', 'v', { retention: own })
    const retentions = ['put', 'copied', 'assembled', 'own'].map(
      async (key) => (await store.objects.head('locked', key)).retention,
    )
    expect(await Promise.all(retentions)).toEqual([expected, expected, expected, own])
    expect(await store.objects.head('locked', 'assembled')).toMatchObject({ legalHold: 'ON' })
    await set(9)
    expect(await store.objects.head('locked', 'put')).toMatchObject({ retention: expected })
  })

  it('cannot be no time at all', async () => {
    expect(await codeOf(set(0))).toBe('InvalidRetentionPeriod')
  })
})

describe('a bucket with Object Lock', () => {
  it('keeps versioning', async () => {
    expect(await codeOf(store.buckets.setVersioning('locked', 'Suspended'))).toBe('InvalidBucketState')
    await store.buckets.setVersioning('locked', 'Enabled')
  })

  it('is the only one where something can be locked', async () => {
    await store.objects.put('plain', 'k', 'v')
    const retention = inDays('GOVERNANCE', 1)
    const requested = [
      store.objects.put('plain', 'k', 'v', { retention }),
      store.objects.put('plain', 'k', 'v', { legalHold: 'OFF' }),
      store.objects.copy({ bucket: 'plain', key: 'k' }, 'plain', 'copy', { legalHold: 'ON' }),
      store.uploads.create('plain', 'k', { retention }),
      store.objects.annotate('plain', 'k', { kind: 'retention', value: retention }),
      store.objects.annotate('plain', 'k', { kind: 'legalHold', value: 'ON' }),
    ]
    for (const one of requested) expect(await codeOf(one)).toBe('InvalidRequest')
  })

  it('refuses a retention that is over before it begins, and takes in no byte for it', async () => {
    const retention = inDays('GOVERNANCE', 0)
    expect(await codeOf(store.objects.put('locked', 'k', 'v', { retention }))).toBe('InvalidArgument')
    expect(await codeOf(store.uploads.create('locked', 'k', { retention }))).toBe('InvalidArgument')
    expect(await list(store.versions.list('locked'))).toEqual([])
  })

  it('copies none of its locks, and shows them as of the past', async () => {
    await store.objects.put('locked', 'k', 'v', { retention: inDays('GOVERNANCE', 1), legalHold: 'ON' })
    const then = store.seq
    const { retention } = await store.objects.head('locked', 'k')
    await store.objects.copy({ bucket: 'locked', key: 'k' }, 'locked', 'copy')
    const copy = await store.objects.annotations('locked', 'copy')
    expect([copy.retention, copy.legalHold]).toEqual([undefined, undefined])
    await store.objects.annotate('locked', 'k', { kind: 'legalHold', value: 'OFF' })
    const past = await store.at(then)
    expect(await past.objects.head('locked', 'k')).toMatchObject({ legalHold: 'ON', retention })
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })
})
