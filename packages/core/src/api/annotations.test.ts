/** Settings of buckets and annotations of versions: now, at every past position, and in the history of a key. */
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Annotation } from '../settings/annotation.ts'
import type { SettingKind } from '../settings/setting.ts'
import { everyAnnotation, everySetting } from '../settings/settings.fixture.ts'
import { list } from './answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import type { PastStore } from './past-store.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

const kinds = Object.keys(everySetting) as readonly SettingKind[]
const tags = (value: string): Annotation => ({ kind: 'tags', value: [{ key: 'colour', value }] })

describe('a setting of a bucket', () => {
  it.each(kinds)('%s is kept, and returned alone and with all settings', async (kind) => {
    await store.buckets.setVersioning('box', 'Enabled')
    await store.buckets.settings.put('box', kind, everySetting[kind])
    expect(await store.buckets.settings.get('box', kind)).toEqual(everySetting[kind])
    expect(await store.buckets.settings.all('box')).toEqual({ [kind]: everySetting[kind] })
    expect((await store.buckets.head('box')).settings).toEqual({ [kind]: store.seq })
  })

  it('leaves no event when it is set to what it is', async () => {
    await store.buckets.settings.put('box', 'Tags', everySetting.Tags)
    const { seq } = store
    await store.buckets.settings.put('box', 'Tags', everySetting.Tags)
    await store.buckets.settings.remove('box', 'Policy')
    expect(store.seq).toBe(seq)
  })

  it('is gone once it is removed, and still there in the past', async () => {
    await store.buckets.settings.put('box', 'Policy', everySetting.Policy)
    const then = store.seq
    await store.buckets.settings.remove('box', 'Policy')
    expect(await store.buckets.settings.get('box', 'Policy')).toBeUndefined()
    expect(await store.buckets.head('box')).not.toHaveProperty('settings')
    expect(await (await store.at(then)).buckets.settings.all('box')).toEqual({ Policy: everySetting.Policy })
  })

  it('does not outlive its bucket', async () => {
    await store.buckets.settings.put('box', 'Policy', everySetting.Policy)
    await store.buckets.delete('box')
    await expect(store.buckets.settings.get('box', 'Policy')).rejects.toMatchObject({ code: 'NoSuchBucket' })
    await store.buckets.create('box')
    expect(await store.buckets.settings.all('box')).toEqual({})
  })

  it('can be there from the first moment of a bucket', async () => {
    const { ObjectLock, Ownership } = everySetting
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock, Ownership } })
    expect(await store.buckets.settings.all('locked')).toEqual({ ObjectLock, Ownership })
    expect(await store.buckets.getVersioning('locked')).toBe('Enabled')
  })

  it('refuses Object Lock where versions are not kept, and keeps it where it is', async () => {
    const { ObjectLock } = everySetting
    const refused = { code: 'InvalidBucketState' }
    await expect(store.buckets.settings.put('box', 'ObjectLock', ObjectLock)).rejects.toMatchObject(refused)
    await expect(store.buckets.create('other', { settings: { ObjectLock } })).rejects.toMatchObject(refused)
    await store.buckets.setVersioning('box', 'Enabled')
    await store.buckets.settings.put('box', 'ObjectLock', ObjectLock)
    await expect(store.buckets.settings.remove('box', 'ObjectLock')).rejects.toMatchObject({ code: 'InvalidRequest' })
  })
})

describe('an annotation of a version', () => {
  async function makeLockable(): Promise<void> {
    await store.buckets.setVersioning('box', 'Enabled')
    await store.buckets.settings.put('box', 'ObjectLock', {})
  }

  it.each(everyAnnotation)(
    '$kind holds from then on, makes no version, and is taken away without a value',
    async (annotated) => {
      await makeLockable()
      const { versionId } = await store.objects.put('box', 'k', 'v')
      const { owner } = await store.objects.head('box', 'k')
      await store.objects.annotate('box', 'k', annotated)
      expect(await store.objects.annotations('box', 'k')).toEqual({
        versionId,
        seq: expect.any(Number),
        owner,
        [annotated.kind]: annotated.value,
      })
      expect(await list(store.versions.list('box'))).toHaveLength(1)
      await store.objects.annotate('box', 'k', { kind: annotated.kind } as Annotation, { bypassGovernance: true })
      expect(await store.objects.annotations('box', 'k')).toEqual({ versionId, seq: expect.any(Number), owner })
    },
  )

  it('holds over what the version was made with', async () => {
    await makeLockable()
    await store.objects.put('box', 'k', 'v', { tags: [{ key: 'colour', value: 'red' }], legalHold: 'ON' })
    expect(await store.objects.head('box', 'k')).toMatchObject({ tagCount: 1, legalHold: 'ON' })
    await store.objects.annotate('box', 'k', tags('green'))
    expect(await store.objects.annotations('box', 'k')).toMatchObject({ ...tagsOf('green'), legalHold: 'ON' })
    await store.objects.annotate('box', 'k', { kind: 'tags' })
    expect(await store.objects.head('box', 'k')).not.toHaveProperty('tagCount')
  })

  it('is of one version alone', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId } = await store.objects.put('box', 'k', 'old')
    await store.objects.put('box', 'k', 'new')
    await store.objects.annotate('box', 'k', tags('red'), { versionId })
    expect(await store.objects.annotations('box', 'k')).not.toHaveProperty('tags')
    expect(await store.objects.annotations('box', 'k', { versionId })).toMatchObject(tagsOf('red'))
  })

  it('is refused where there is no version to annotate', async () => {
    await expect(store.objects.annotate('box', 'k', tags('red'))).rejects.toMatchObject({ code: 'NoSuchKey' })
    await store.buckets.setVersioning('box', 'Enabled')
    await store.objects.put('box', 'k', 'v')
    const { versionId } = await store.objects.delete('box', 'k')
    await expect(store.objects.annotate('box', 'k', tags('red'))).rejects.toMatchObject({ code: 'NoSuchKey' })
    await expect(
      store.objects.annotate('box', 'k', tags('red'), { versionId: versionId as string }),
    ).rejects.toMatchObject({ code: 'MethodNotAllowed' })
  })

  it('leaves no event when it holds already with its fields in another order', async () => {
    const acl = { grants: [{ permission: 'READ', grantee: { id: 'a' } }], owner: 'a' } as const
    await store.objects.put('box', 'k', 'v', { tags: [{ value: 'green', key: 'colour' }] })
    await store.objects.annotate('box', 'k', { kind: 'acl', value: acl })
    const { seq } = store
    await store.objects.annotate('box', 'k', { kind: 'acl', value: acl })
    await store.objects.annotate('box', 'k', tags('green'))
    expect(store.seq).toBe(seq)
  })

  it('leaves no event when it holds already', async () => {
    await store.objects.put('box', 'k', 'v')
    await store.objects.annotate('box', 'k', tags('red'))
    const { seq } = store
    await store.objects.annotate('box', 'k', tags('red'))
    expect(store.seq).toBe(seq)
  })

  it('is part of the history of the key', async () => {
    await store.objects.put('box', 'k', 'v')
    await store.objects.annotate('box', 'k', tags('red'))
    await store.objects.annotate('box', 'k', { kind: 'tags' })
    await store.objects.put('box', 'other', 'v')
    await store.objects.delete('box', 'k')
    const types = (await list(store.history('box', 'k'))).map(({ type }) => type)
    expect(types).toEqual(['VersionAdded', 'ObjectTagsSet', 'ObjectTagsSet', 'VersionRemoved'])
  })
})

const tagsOf = (value: string) => ({ tags: [{ key: 'colour', value }] })

describe('the past', () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant('put' as const), key: fc.constantFrom('a', 'b'), tagged: fc.boolean() }),
    fc.record({ does: fc.constantFrom('delete' as const, 'version' as const), key: fc.constantFrom('a', 'b') }),
    fc.record({
      does: fc.constant('say' as const),
      key: fc.constantFrom('a', 'b'),
      annotated: fc.constantFrom<Annotation>(
        tags('red'),
        tags('green'),
        { kind: 'tags' },
        { kind: 'legalHold', value: 'ON' },
      ),
    }),
    fc.record({ does: fc.constant('set' as const), kind: fc.constantFrom<SettingKind>('Tags', 'Policy') }),
    fc.record({ does: fc.constant('unset' as const), kind: fc.constantFrom<SettingKind>('Tags', 'Policy') }),
    fc.record({ does: fc.constantFrom('enable' as const, 'suspend' as const) }),
  )
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  async function take(made: Store, one: Step): Promise<unknown> {
    switch (one.does) {
      case 'put':
        return made.objects.put('box', one.key, 'v', one.tagged ? tagsOf('blue') : {})
      case 'delete':
        return made.objects.delete('box', one.key)
      case 'version': {
        const [newest] = await list(made.versions.list('box', { prefix: one.key }))
        return newest?.kind === 'version' && made.versions.delete('box', one.key, newest.versionId)
      }
      case 'say':
        return made.objects.annotate('box', one.key, one.annotated)
      case 'set':
        return made.buckets.settings.put('box', one.kind, everySetting[one.kind])
      case 'unset':
        return made.buckets.settings.remove('box', one.kind)
      default:
        return made.buckets.setVersioning('box', one.does === 'enable' ? 'Enabled' : 'Suspended')
    }
  }

  async function shown({ buckets, objects, versions }: Pick<PastStore, 'buckets' | 'objects' | 'versions'>) {
    const annotated: unknown[] = []
    for (const each of await list(versions.list('box'))) {
      if (each.kind !== 'version') continue
      const { key, versionId } = each
      annotated.push([key, await objects.annotations('box', key, { versionId })])
    }
    return { settings: await buckets.settings.all('box'), annotated }
  }

  it('shows at every position what was shown then', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const made = await openEngine(memoryPorts(), { inlineMax: 64 })
        await made.buckets.create('box')
        const then = new Map([[made.seq, await shown(made)]])
        for (const one of steps) {
          await take(made, one).catch(() => undefined)
          then.set(made.seq, await shown(made))
        }
        for (const [seq, expected] of then) {
          const past = await made.at(seq)
          expect(await shown(past)).toEqual(expected)
        }
        expect(await made.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
        await made.close()
      }),
      { numRuns: 60 },
    ))
})
