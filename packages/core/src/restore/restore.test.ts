import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { RestoreRequest } from '../api/types/index.ts'

const day = 86_400_000
let ports: MemoryPorts
let store: Store

async function open(retentionMs = 1_000 * day): Promise<void> {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8, retentionMs })
  await store.buckets.create('box')
}

beforeEach(() => open())

const put = (key: string, body = `the bytes of ${key}`) => store.objects.put('box', key, body)
const text = async (key: string) => (await store.objects.get('box', key)).text()
const restore = (to: number, options: Partial<RestoreRequest> = {}) => store.restore({ bucket: 'box', to, ...options })
const actions = async (to: number, options: Partial<RestoreRequest> = {}) =>
  (await restore(to, options)).entries.map(({ action, key }) => `${action} ${key}`)
const isWhole = async () => expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })

describe.each(['never set', 'Enabled', 'Suspended'] as const)('a restore where versioning is %s', (versioning) => {
  beforeEach(async () => {
    if (versioning !== 'never set') await store.buckets.setVersioning('box', versioning)
  })

  it('gives back objects and takes away those that were not there, and moves no bytes', async () => {
    for (const key of ['changed', 'deleted', 'same']) await put(key)
    const then = store.seq
    await put('added')
    await put('changed', 'other bytes, longer')
    await store.objects.delete('box', 'deleted')
    const blobs = ports.blobs.bytes.size
    expect(await actions(then, { dryRun: true })).toEqual(['remove added', 'add changed', 'add deleted'])
    expect(await text('changed')).toBe('other bytes, longer')
    expect(await actions(then)).toEqual(['remove added', 'add changed', 'add deleted'])
    expect(await list(store.diff({ bucket: 'box' }, then, store.seq))).toEqual([])
    expect(await text('deleted')).toBe('the bytes of deleted')
    expect(await codeOf(text('added'))).toBe('NoSuchKey')
    expect(ports.blobs.bytes.size).toBe(blobs)
    await isWhole()
  })

  it('changes nothing a second time, and can itself be taken back', async () => {
    await put('a')
    const then = store.seq
    await store.objects.delete('box', 'a')
    await put('b')
    const before = store.seq
    await restore(then)
    const end = store.seq
    expect(await restore(then)).toMatchObject({ entries: [], erased: [], conflicts: [] })
    expect(store.seq).toBe(end)
    expect(await actions(before)).toEqual(['remove a', 'add b'])
    expect(await list(store.diff({ bucket: 'box' }, before, store.seq))).toEqual([])
  })

  it('keeps the bytes that it gave back when the sweep comes', async () => {
    await put('k')
    const then = store.seq
    await store.objects.delete('box', 'k')
    await restore(then)
    ports.clock.time += 2_000 * day
    await store.sweep({ orphans: true })
    expect(await text('k')).toBe('the bytes of k')
    await store.objects.delete('box', 'k')
    await isWhole()
  })
})

describe('what comes back with an object', () => {
  it('is all that clients get of it: headers, metadata, storage class, checksum, tags, ACL and owner', async () => {
    const options = {
      contentType: 'text/plain',
      metadata: { who: 'me' },
      storageClass: 'GLACIER',
      tags: [{ key: 'a', value: 'b' }],
      checksum: { algorithm: 'SHA256' as const },
    }
    await store.as({ by: { id: 'bob', name: 'Bob' } }).objects.put('box', 'k', 'body of k', options)
    const acl = { owner: 'bob', grants: [{ grantee: { id: 'eve' }, permission: 'READ' as const }] }
    await store.objects.annotate('box', 'k', { kind: 'acl', value: acl })
    const [then, facts] = [store.seq, await store.objects.head('box', 'k')]
    const annotations = await store.objects.annotations('box', 'k')
    await put('k', 'something else')
    await restore(then)
    const { seq, lastModified, ...restored } = await store.objects.head('box', 'k')
    expect(restored).toEqual({ ...facts, seq: undefined, lastModified: undefined })
    expect([seq > then, lastModified >= facts.lastModified]).toEqual([true, true])
    expect(await store.objects.annotations('box', 'k')).toEqual({ ...annotations, seq })
  })

  it('is the annotations alone where the version is still there', async () => {
    await put('k')
    const tag = (value: string) =>
      store.objects.annotate('box', 'k', { kind: 'tags', value: value === '' ? [] : [{ key: 't', value }] })
    await tag('old')
    const then = store.seq
    await tag('new')
    expect(await actions(then)).toEqual(['annotate k'])
    expect(await store.objects.annotations('box', 'k')).toMatchObject({ tags: [{ key: 't', value: 'old' }] })
    expect(await actions(then - 1)).toEqual(['annotate k'])
    expect(await store.objects.annotations('box', 'k')).not.toHaveProperty('tags')
    expect(await actions(then - 1)).toEqual([])
  })

  it('is an object made of parts', async () => {
    const upload = await store.uploads.create('box', 'k')
    const { etag } = await store.uploads.uploadPart(upload, 1, 'a part that is a blob')
    await store.uploads.complete(upload, [{ partNumber: 1, etag }])
    const then = store.seq
    await store.objects.delete('box', 'k')
    await restore(then)
    ports.clock.time += 2_000 * day
    await store.sweep({ orphans: true })
    expect(await text('k')).toBe('a part that is a blob')
    await isWhole()
  })

  it('names the restore as the cause of each event', async () => {
    await put('a')
    const then = store.seq
    await store.objects.delete('box', 'a')
    await put('b')
    const from = store.seq + 1
    const { id } = await restore(then)
    const events = await list(store.log({ from }))
    expect(events.map(({ type, data }) => [type, 'cause' in data && data.cause])).toEqual([
      ['VersionAdded', { kind: 'restore', id, to: then }],
      ['VersionRemoved', { kind: 'restore', id, to: then }],
    ])
  })
})

describe('an encrypted object', () => {
  const customerKey = ciphers.random(32)

  it.each([
    [{ mode: 'AES256' }, {}],
    [{ mode: 'SSE-C', key: customerKey }, { customerKey }],
  ] as const)('comes back with its data key, without the key of a client: %j', async (encryption, reading) => {
    ports = memoryPorts()
    store = await openEngine({ ...ports, ciphers, keyring: testKeyring('master') }, { retentionMs: 1_000 * day })
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'a secret', { encryption })
    const then = store.seq
    await store.objects.delete('box', 'k')
    await restore(then)
    ports.clock.time += 2_000 * day
    await store.sweep({ orphans: true })
    expect(await (await store.objects.get('box', 'k', reading)).text()).toBe('a secret')
    expect((await restore(then)).entries).toEqual([])
  })
})

describe('locks', () => {
  const locked = { versioning: 'Enabled', settings: { ObjectLock: {} } } as const
  const retain = (until: number, mode: 'GOVERNANCE' | 'COMPLIANCE' = 'GOVERNANCE') =>
    store.objects.annotate('safe', 'k', { kind: 'retention', value: { mode, until } }, { bypassGovernance: true })
  const now = () => ports.clock.time
  const restoreSafe = (to: number) => store.restore({ bucket: 'safe', to })

  beforeEach(async () => {
    await store.buckets.create('safe', locked)
    await store.objects.put('safe', 'k', 'locked')
  })

  it('come back with a new version if they have not ended, and the old versions keep theirs', async () => {
    await retain(now() + 10 * day)
    await store.objects.annotate('safe', 'k', { kind: 'legalHold', value: 'ON' })
    const then = store.seq
    const { versionId } = await store.objects.put('safe', 'k', 'newer')
    const until = now() + 20 * day
    await retain(until)
    await restoreSafe(then)
    const { retention, legalHold } = await store.objects.annotations('safe', 'k')
    expect([retention?.until, legalHold]).toEqual([now() + 10 * day, 'ON'])
    expect(await store.objects.annotations('safe', 'k', { versionId })).toMatchObject({ retention: { until } })
    expect((await restoreSafe(then)).entries).toEqual([])
  })

  it('that have ended do not come back', async () => {
    await retain(now() + day)
    const then = store.seq
    await store.objects.delete('safe', 'k')
    ports.clock.time += 2 * day
    await restoreSafe(then)
    expect(await store.objects.annotations('safe', 'k')).not.toHaveProperty('retention')
    expect((await restoreSafe(then)).entries).toEqual([])
  })

  it.each([
    ['longer', 5, 10],
    ['shorter', 10, 5],
  ])('of a version that stays get longer, never shorter: %s then', async (_, days, daysThen) => {
    await retain(now() + daysThen * day)
    const then = store.seq
    await retain(now() + days * day)
    await restoreSafe(then)
    const { retention } = await store.objects.annotations('safe', 'k')
    expect(retention?.until).toBe(now() + 10 * day)
  })

  it('are left out where the bucket has no Object Lock any more', async () => {
    await retain(now() + day)
    const then = store.seq
    ports.clock.time += 2 * day
    for (const entry of await list(store.versions.list('safe'))) {
      if (entry.kind === 'version') await store.versions.delete('safe', 'k', entry.versionId)
    }
    await store.buckets.delete('safe')
    await store.buckets.create('safe')
    await restoreSafe(then)
    expect(await store.objects.annotations('safe', 'k')).not.toHaveProperty('retention')
  })
})

describe('what cannot come back', () => {
  it('is listed, and refuses a strict restore as a whole', async () => {
    await open(day)
    await put('erased')
    await put('small', 'tiny')
    const then = store.seq
    await store.objects.delete('box', 'erased')
    ports.clock.time += 2 * day
    await store.sweep()
    await store.objects.delete('box', 'small')
    const end = store.seq
    expect(await codeOf(restore(then, { strict: true }))).toBe('ObjectErased')
    expect(store.seq).toBe(end)
    const { entries, erased } = await restore(then)
    expect([entries.map(({ key }) => key), erased.map(({ key }) => key)]).toEqual([['small'], ['erased']])
    await isWhole()
  })

  it('is never acknowledged and erased afterwards, whenever the sweep comes', async () => {
    await open(0)
    await put('k')
    const then = store.seq
    await store.objects.delete('box', 'k')
    const [restored] = await Promise.all([restore(then), store.sweep()])
    if (restored.entries.length > 0) expect(await text('k')).toBe('the bytes of k')
    else expect(restored.erased.map(({ key }) => key)).toEqual(['k'])
    await store.sweep({ orphans: true })
    await isWhole()
  })
})

describe('a restore beside other writers', () => {
  const meanwhile = async (options: Partial<RestoreRequest>) => {
    for (const key of ['a', 'b']) await put(key)
    const then = store.seq
    for (const key of ['a', 'b']) await put(key, 'changed')
    const restoring = restore(then, options)
    const { owner } = store
    // The plan reads before the first commit that is submitted now.
    const writing = owner.submit({
      type: 'DeleteObject',
      data: { bucket: 'box', key: 'a' },
      meta: { by: { id: 'eve', name: 'Eve' }, requestId: 'e' },
    })
    await writing
    return restoring
  }

  it('takes back nothing that was written after its plan, and fails as a whole', async () => {
    expect(await codeOf(meanwhile({}))).toBe('RestoreConflict')
    expect(await text('b')).toBe('changed')
  })

  it('leaves out changed keys if it may skip them', async () => {
    const { entries, conflicts } = await meanwhile({ onConflict: 'skip' })
    expect([entries.map(({ key }) => key), conflicts.map(({ key }) => key)]).toEqual([['b'], ['a']])
    expect(await codeOf(text('a'))).toBe('NoSuchKey')
  })
})

describe('the scope of a restore', () => {
  it('is a prefix or some keys', async () => {
    for (const key of ['a/1', 'a/2', 'b/1']) await put(key)
    const then = store.seq
    for (const key of ['a/1', 'a/2', 'b/1']) await store.objects.delete('box', key)
    expect(await actions(then, { prefix: 'b/' })).toEqual(['add b/1'])
    expect(await actions(then, { keys: ['a/2', 'a/2', 'never'] })).toEqual(['add a/2'])
    expect(await codeOf(text('a/1'))).toBe('NoSuchKey')
  })

  it('may be larger than a commit, in parts alone', async () => {
    for (let i = 0; i < 300; i++) await put(`k${i}`, 'x')
    const then = store.seq
    for (let i = 0; i < 300; i++) await store.objects.delete('box', `k${i}`)
    expect(await codeOf(restore(then))).toBe('RestoreTooLarge')
    const done: number[] = []
    const { entries } = await restore(then, { inParts: true, onProgress: (progress) => void done.push(progress.done) })
    expect([entries.length, done]).toEqual([300, [100, 200, 300]])
  })

  it('is a bucket that exists now and existed then', async () => {
    expect(await codeOf(restore(0))).toBe('NoSuchBucket')
    const then = store.seq
    await store.buckets.delete('box')
    expect(await codeOf(restore(then))).toBe('NoSuchBucket')
  })

  it.each([
    [{ to: 1.5 }, 'InvalidArgument'],
    [{ to: 1e9 }, 'MomentOutOfRange'],
    [{ keys: ['k'], prefix: 'k' }, 'InvalidArgument'],
    [{ onConflict: 'force' }, 'InvalidArgument'],
    [{ keys: 'k' }, 'InvalidArgument'],
    [{ unknown: true }, 'InvalidArgument'],
  ])('is refused with a code if it is wrong: %j', async (wrong, code) => {
    expect(await codeOf(store.restore({ bucket: 'box', to: 1, ...wrong } as RestoreRequest))).toBe(code)
  })
})

describe('a restore of the bucket itself', () => {
  const deleteAll = async () => {
    for (const { key } of (await list(store.objects.list('box'))) as { key: string }[])
      await store.objects.delete('box', key)
    await store.buckets.delete('box')
  }

  it('takes a deleted bucket back with its objects and settings, in one commit', async () => {
    await store.buckets.settings.put('box', 'RequestPayment', 'Requester')
    const { incarnation: _, ...info } = { incarnation: 0, ...(await store.buckets.head('box')) }
    for (const key of ['a', 'b']) await put(key)
    const then = store.seq
    await deleteAll()
    const end = store.seq
    expect(await codeOf(restore(then))).toBe('NoSuchBucket')
    const plan = await restore(then, { deletedBucket: true, dryRun: true })
    expect(plan).toMatchObject({ deletedBucket: end, settings: [], settingsLeft: [] })
    expect(store.seq).toBe(end)
    const done = await restore(then, { deletedBucket: true })
    expect(done.entries.map(({ action, key }) => `${action} ${key}`)).toEqual(['add a', 'add b'])
    expect(await store.buckets.head('box')).toEqual(info)
    expect(await list(store.diff({ bucket: 'box' }, then, store.seq))).toEqual([])
    const events = await list(store.log({ from: end + 1 }))
    expect(events.map(({ type, data }) => [type, (data as { cause?: object }).cause])).toEqual(
      ['BucketRestored', 'VersionAdded', 'VersionAdded'].map((type) => [
        type,
        { kind: 'restore', id: done.id, to: then },
      ]),
    )
    await isWhole()
  })

  it('takes back the bucket of then, not one that had its name later', async () => {
    await put('a')
    const [then, before] = [store.seq, await store.buckets.head('box')]
    await deleteAll()
    await store.as({ by: { id: 'other', name: 'other' } }).buckets.create('box')
    await store.buckets.setVersioning('box', 'Enabled')
    await store.buckets.delete('box')
    await restore(then, { deletedBucket: true })
    expect(await store.buckets.head('box')).toEqual(before)
    expect(await text('a')).toBe('the bytes of a')
    await isWhole()
  })

  it('gives back settings and versioning only if that is requested, and never loosens Object Lock', async () => {
    await store.buckets.create('safe', { versioning: 'Enabled' })
    await store.buckets.settings.put('box', 'RequestPayment', 'Requester')
    await store.buckets.setVersioning('box', 'Enabled')
    const then = store.seq
    await store.buckets.settings.remove('box', 'RequestPayment')
    await store.buckets.setVersioning('box', 'Suspended')
    await store.buckets.settings.put('box', 'Tags', [{ key: 'k', value: 'v' }])
    expect(await restore(then)).toMatchObject({ settings: [], entries: [] })
    const { settings, settingsLeft, id } = await restore(then, { settings: true })
    expect([settings, settingsLeft]).toEqual([
      [
        { setting: 'RequestPayment', value: 'Requester' },
        { setting: 'Tags' },
        { setting: 'Versioning', value: 'Enabled' },
      ],
      [],
    ])
    expect(id).toBeDefined()
    expect(await list(store.diff({ bucket: 'box' }, then, store.seq))).toEqual([])
    expect(await restore(then, { settings: true })).toMatchObject({ settings: [], settingsLeft: [] })
    const locked = store.seq
    await store.buckets.settings.put('safe', 'ObjectLock', { default: { mode: 'GOVERNANCE', days: 1 } })
    expect(await store.restore({ bucket: 'safe', to: locked, settings: true })).toMatchObject({
      settings: [],
      settingsLeft: ['ObjectLock'],
    })
    await isWhole()
  })

  it('leaves versioning that was not set suspended or enabled, and names it', async () => {
    const then = store.seq
    await store.buckets.setVersioning('box', 'Enabled')
    expect(await restore(then, { settings: true })).toMatchObject({ settings: [], settingsLeft: ['Versioning'] })
  })

  it('is refused where the bucket came back meanwhile', async () => {
    await put('a')
    const then = store.seq
    await deleteAll()
    const both = [restore(then, { deletedBucket: true }), restore(then, { deletedBucket: true })]
    const codes = await Promise.all(both.map(codeOf))
    expect(new Set(codes)).toEqual(new Set(['RestoreConflict', 'no error']))
    expect(await store.restore({ bucket: 'box', to: then, deletedBucket: true })).toMatchObject({ entries: [] })
    await isWhole()
  })

  it('takes several commits for more keys than one takes', async () => {
    for (let i = 0; i < 260; i++) await put(`key ${i}`)
    const then = store.seq
    await deleteAll()
    expect(await codeOf(restore(then, { deletedBucket: true }))).toBe('RestoreTooLarge')
    const { entries } = await restore(then, { deletedBucket: true, inParts: true })
    expect(entries).toHaveLength(260)
    expect(await list(store.diff({ bucket: 'box' }, then, store.seq))).toEqual([])
  })
})
