import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { UndoRequest } from '../api/types/index.ts'
import type { Commit } from '../ports/index.ts'
import { effectsBetween, effectsIn, type SeenBucket, type SeenVersion } from './undo-effects.fixture.ts'

const day = 86_400_000
let ports: MemoryPorts
/** The owner, and another user whose events are undone. */
let store: Store
let agent: Store

async function open(retentionMs = 1_000 * day): Promise<void> {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8, retentionMs })
  agent = store.as({ by: { id: 'agent', name: 'Agent' } })
  await store.buckets.create('box')
}

beforeEach(() => open())

const put = (key: string, body = `the bytes of ${key}`, of = store) => of.objects.put('box', key, body)
const text = async (key: string, versionId?: string) =>
  (await store.objects.get('box', key, versionId === undefined ? {} : { versionId })).text()
const tag = (key: string, value: string, of = store) =>
  of.objects.annotate('box', key, { kind: 'tags', value: [{ key: 't', value }] })
const undo = (request: Partial<UndoRequest> = {}) => store.undo({ by: 'agent', ...request })
const isWhole = async () => expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })

/** Everything that clients see now, or saw at a position. */
async function seen(at = store.seq): Promise<readonly SeenBucket[]> {
  const then = await store.at(at)
  const buckets: SeenBucket[] = []
  for (const { name } of await list(then.buckets.list())) {
    const versions: SeenVersion[] = []
    for await (const entry of then.versions.list(name)) {
      if (!('key' in entry)) continue
      const { key, versionId } = entry
      const isMarker = !('size' in entry)
      const body = isMarker ? null : await (await then.objects.get(name, key, { versionId })).text()
      const { tags, acl } = isMarker ? {} : await then.objects.annotations(name, key, { versionId })
      versions.push({ key, versionId, isLatest: entry.isLatest, body, tags, acl })
    }
    const settings = await then.buckets.settings.all(name)
    buckets.push({ name, versions, settings, versioning: await then.buckets.getVersioning(name) })
  }
  return buckets
}

/** What the agent does, one thing after the other, beginning with a store that has objects and tags. */
const deeds: Readonly<Record<string, () => Promise<unknown>>> = {
  'adds an object': () => put('new', 'n', agent),
  'replaces an object': () => put('a', 'replaced bytes', agent),
  'replaces an object twice': async () => {
    await put('a', 'replaced bytes', agent)
    await put('a', 'replaced again', agent)
  },
  'deletes an object': () => agent.objects.delete('box', 'a'),
  'deletes an object and adds it again': async () => {
    await agent.objects.delete('box', 'a')
    await put('a', 'made again', agent)
  },
  'deletes what was never there': () => agent.objects.delete('box', 'never'),
  'adds an object and deletes it': async () => {
    await put('new', 'n', agent)
    await agent.objects.delete('box', 'new')
  },
  'removes each version of an object': async () => {
    for await (const entry of store.versions.list('box', { prefix: 'a' }))
      if ('key' in entry) await agent.objects.delete('box', 'a', { versionId: entry.versionId })
  },
  'copies an object over another': () => agent.objects.copy({ bucket: 'box', key: 'b' }, 'box', 'a'),
  'copies an object and deletes the source': async () => {
    await agent.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'copy')
    await agent.objects.delete('box', 'a')
  },
  'completes an upload': async () => {
    const upload = await agent.uploads.create('box', 'a')
    const part = await agent.uploads.uploadPart(upload, 1, 'the only part')
    await agent.uploads.complete(upload, [{ partNumber: 1, etag: part.etag }])
  },
  'changes tags twice': async () => {
    await tag('a', '2', agent)
    await tag('a', '3', agent)
  },
  'tags an object for the first time': () => tag('b', '1', agent),
  'tags an object and deletes it': async () => {
    await tag('a', '2', agent)
    await agent.objects.delete('box', 'a')
  },
  'changes, adds and removes settings': async () => {
    await agent.buckets.settings.put('box', 'Tags', [{ key: 'x', value: 'changed' }])
    await agent.buckets.settings.put('box', 'RequestPayment', 'Requester')
    await agent.buckets.settings.remove('box', 'Policy')
  },
  'creates a bucket with objects': async () => {
    await agent.buckets.create('another')
    await agent.objects.put('another', 'k', 'v')
  },
  'empties and deletes a bucket': async () => {
    for await (const entry of store.versions.list('box'))
      if ('key' in entry) await agent.objects.delete('box', entry.key, { versionId: entry.versionId })
    await agent.buckets.delete('box')
  },
  'does nothing': async () => undefined,
}

describe.each(['never set', 'Enabled', 'Suspended', 'Suspended after versions'] as const)(
  'an undo where versioning is %s',
  (versioning) => {
    beforeEach(async () => {
      if (versioning === 'Suspended after versions') {
        await put('a', 'the null version')
        await store.buckets.setVersioning('box', 'Enabled')
        await put('a', 'a version')
        await put('b', 'a version')
      }
      if (versioning !== 'never set')
        await store.buckets.setVersioning('box', versioning === 'Enabled' ? 'Enabled' : 'Suspended')
      await put('a')
      await put('b', 'short')
      await tag('a', '1')
      await store.buckets.settings.put('box', 'Tags', [{ key: 'x', value: 'y' }])
      await store.buckets.settings.put('box', 'Policy', '{}')
    })

    it.each(Object.entries(deeds))('makes all as it was after the agent %s', async (_what, deed) => {
      const states = new Map<number, readonly SeenBucket[]>()
      const note = async () => states.set(store.seq, await seen())
      await note()
      const before = await seen()
      await deed()
      await note()
      const done = await undo()
      expect(await seen()).toEqual(before)
      await note()
      await isWhole()
      const after = [...states.values()][1] ?? before
      expect(effectsIn(done)).toEqual(effectsBetween(after, before, done))
      if (done.id !== undefined) {
        const again = await store.undo({ requestId: done.id })
        expect(await seen()).toEqual(after)
        expect(effectsIn(again)).toEqual(effectsBetween(before, after, again))
        await note()
        await isWhole()
        if (again.id !== undefined) await store.undo({ requestId: again.id })
        expect(await seen()).toEqual(before)
        await note()
      }
      for (const [seq, state] of states) expect(await seen(seq)).toEqual(state)
      await store.rebuild()
      for (const [seq, state] of states) expect(await seen(seq)).toEqual(state)
      await isWhole()
    })

    it('plans the same without doing it', async () => {
      await put('a', 'replaced', agent)
      await agent.objects.delete('box', 'b')
      const end = store.seq
      const plan = await undo({ dryRun: true })
      expect(store.seq).toBe(end)
      expect(plan.id).toBeUndefined()
      const done = await undo()
      expect(done.entries).toEqual(plan.entries)
      expect(plan.entries).toHaveLength(2)
      expect(plan.events).toBe(2)
    })

    it('leaves what others changed afterwards, and shows who', async () => {
      await put('a', 'by the agent', agent)
      await put('b', 'by the agent', agent)
      await put('b', 'by the owner')
      expect(await codeOf(undo())).toBe('UndoConflict')
      const end = store.seq
      const { conflicts, entries } = await undo({ onConflict: 'skip' })
      expect(conflicts).toMatchObject([{ bucket: 'box', key: 'b', reason: 'changed', seq: end, by: { id: 'local' } }])
      expect(entries).toMatchObject([{ key: 'a' }])
      expect(await text('a')).toBe('the bytes of a')
      expect(await text('b')).toBe('by the owner')
      await isWhole()
    })

    it('undoes what came after the change of others', async () => {
      await put('a', 'agent first', agent)
      await put('a', 'by the owner')
      await put('a', 'agent last', agent)
      await undo({ onConflict: 'skip' })
      expect(await text('a')).toBe('by the owner')
      await isWhole()
    })

    it('shows settings that others changed afterwards', async () => {
      await agent.buckets.settings.put('box', 'Tags', [{ key: 'x', value: 'agent' }])
      await store.buckets.settings.put('box', 'Tags', [{ key: 'x', value: 'owner' }])
      const { conflicts } = await undo({ onConflict: 'skip' })
      expect(conflicts).toMatchObject([{ bucket: 'box', setting: 'Tags', reason: 'changed' }])
      expect(await store.buckets.settings.get('box', 'Tags')).toEqual([{ key: 'x', value: 'owner' }])
    })

    it('does not take back a version whose bytes were erased', async () => {
      await agent.objects.delete('box', 'b', { versionId: (await store.objects.head('box', 'b')).versionId })
      await agent.objects.delete('box', 'a', { versionId: (await store.objects.head('box', 'a')).versionId })
      ports.clock.time += 2_000 * day
      await store.clock.accept()
      await store.sweep()
      const { erased, entries } = await undo({ dryRun: true })
      expect(erased.map(({ key }) => key)).toEqual(['b', 'a'])
      expect(entries).toEqual([])
      expect(await codeOf(undo())).toBe('UndoConflict')
      await isWhole()
    })
  },
)

describe('the past after an undo', () => {
  it('shows the version that was replaced, where an older one came back', async () => {
    await put('a', 'first')
    await put('a', 'second', agent)
    const then = store.seq
    await undo()
    expect(await seen(then)).toMatchObject([{ versions: [{ key: 'a', body: 'second' }] }])
    const objects = await list((await store.at(then)).objects.list('box'))
    expect(objects).toMatchObject([{ key: 'a', size: 6 }])
  })

  it('shows the null version that replaced one which had come back', async () => {
    await put('a', 'first')
    await agent.objects.delete('box', 'a')
    await undo()
    await put('a', 'second')
    await store.buckets.setVersioning('box', 'Enabled')
    const then = store.seq
    const past = await (await store.at(then)).objects.get('box', 'a', { versionId: 'null' })
    expect(await past.text()).toBe('second')
  })
})

describe('an undo where bytes were erased', () => {
  beforeEach(() => open(0))

  it('leaves the object that took their place, unless it is forced', async () => {
    await put('a', 'first')
    await put('a', 'second', agent)
    await store.sweep()
    const { erased, entries } = await undo({ onConflict: 'skip' })
    expect([erased.length, entries.length]).toEqual([1, 0])
    expect(await text('a')).toBe('second')
    await undo({ onConflict: 'force' })
    expect(await codeOf(text('a'))).toBe('NoSuchKey')
    await isWhole()
  })
})

describe('an undo', () => {
  it('chooses events by request, time, bucket, prefix and type', async () => {
    await store.buckets.create('other')
    await put('x/1', '1', agent)
    const middle = store.seq
    await put('x/2', '2', agent)
    await put('y', '3', agent)
    await agent.objects.put('other', 'z', '4')
    await tag('y', '1', agent)
    const keys = async (request: Partial<UndoRequest>) =>
      (await undo({ ...request, dryRun: true })).entries.map((entry) => ('key' in entry ? entry.key : ''))
    expect(await keys({})).toEqual(['x/1', 'x/2', 'y', 'z'])
    expect(await keys({ from: middle })).toEqual(['x/2', 'y', 'z'])
    expect(await keys({ to: middle })).toEqual(['x/1'])
    expect(await keys({ bucket: 'box' })).toEqual(['x/1', 'x/2', 'y'])
    expect(await keys({ bucket: 'box', prefix: 'x/' })).toEqual(['x/1', 'x/2'])
    expect(await keys({ types: ['ObjectTagsSet'] })).toEqual(['y'])
  })

  it('is one commit, whose events have its cause and its request id', async () => {
    await put('a', '1', agent)
    await put('b', '2', agent)
    await agent.buckets.settings.put('box', 'RequestPayment', 'Requester')
    const end = store.seq
    const commits: number[] = []
    store.subscribe((events) => commits.push(events.length))
    const { id } = await undo()
    expect(commits).toEqual([3])
    for (const event of await list(store.log({ from: end + 1 })))
      expect(event).toMatchObject({ requestId: id, data: { cause: { kind: 'undo', id, to: end } } })
  })

  it('undoes several requests one after the other, the last one first', async () => {
    await store.buckets.settings.put('box', 'Tags', [{ key: 'x', value: '0' }])
    const request = (requestId: string) => store.as({ by: { id: 'ann', name: 'Ann' }, requestId })
    const states: unknown[] = []
    const deedsOf: readonly ((of: Store) => Promise<unknown>)[] = [
      (of) => put('a', 'first', of),
      (of) => put('a', 'second', of),
      (of) => tag('a', '1', of),
      (of) => of.buckets.settings.put('box', 'Tags', [{ key: 'x', value: '1' }]),
      (of) => tag('a', '2', of),
      (of) => of.objects.delete('box', 'a'),
      (of) => put('a', 'third', of),
      (of) => of.buckets.settings.put('box', 'Tags', [{ key: 'x', value: '2' }]),
    ]
    for (const [i, deed] of deedsOf.entries()) {
      states.push(await seen())
      await deed(request(`r${i}`))
    }
    const undone: string[] = []
    for (const [i, state] of [...states.entries()].reverse()) {
      const { id = '' } = await store.undo({ requestId: `r${i}` })
      undone.push(id)
      expect(await seen()).toEqual(state)
    }
    for (const state of states.slice(1)) {
      await store.undo({ requestId: undone.pop() as string })
      expect(await seen()).toEqual(state)
    }
    await isWhole()
  })

  it('of a restore makes all as it was before the restore', async () => {
    await put('a')
    const then = store.seq
    await put('a', 'other')
    await put('b')
    const before = await seen()
    const { id } = await store.restore({ bucket: 'box', to: then })
    await store.undo({ requestId: id as string })
    expect(await seen()).toEqual(before)
  })

  it('does not loosen locks, and leaves locked versions', async () => {
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const until = ports.clock.time + 100 * day
    await agent.objects.put('locked', 'held', 'bytes', { legalHold: 'ON' })
    const { versionId } = await store.objects.put('locked', 'k', 'bytes')
    await agent.objects.annotate('locked', 'k', { kind: 'retention', value: { mode: 'COMPLIANCE', until } })
    const { conflicts, left } = await undo({ onConflict: 'skip' })
    expect(conflicts).toMatchObject([{ key: 'held', reason: 'locked' }])
    expect(left).toEqual([{ type: 'ObjectRetentionSet', events: 1 }])
    expect((await store.objects.annotations('locked', 'k', { versionId })).retention).toEqual({
      mode: 'COMPLIANCE',
      until,
    })
  })

  it('sets a legal hold again that was taken off', async () => {
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    await store.objects.put('locked', 'k', 'bytes', { legalHold: 'ON' })
    await agent.objects.annotate('locked', 'k', { kind: 'legalHold', value: 'OFF' })
    await undo()
    expect((await store.objects.annotations('locked', 'k')).legalHold).toBe('ON')
  })

  it('with more changes than one commit takes needs inParts', async () => {
    for (let i = 0; i < 260; i++) await put(`k${i}`, 'x', agent)
    expect(await codeOf(undo({ inParts: false }))).toBe('UndoTooLarge')
    const progress: unknown[] = []
    const { entries, id } = await undo({ inParts: true, onProgress: (one) => progress.push(one) })
    expect(entries).toHaveLength(260)
    expect(progress).toEqual([
      { done: 100, total: 260 },
      { done: 200, total: 260 },
      { done: 260, total: 260 },
    ])
    await store.undo({ requestId: id as string, inParts: true })
    expect((await list(store.objects.list('box'))).length).toBe(260)
  })

  describe('of the creation of a bucket in which others have objects', () => {
    beforeEach(async () => {
      await agent.buckets.create('other')
      await store.objects.put('other', 'mine', 'm')
    })

    it('is a conflict', async () => {
      expect(await codeOf(undo())).toBe('UndoConflict')
    })

    it('leaves the bucket where conflicts are skipped, and undoes the rest', async () => {
      await put('new', 'n', agent)
      const { entries, conflicts } = await undo({ onConflict: 'skip' })
      expect(entries).toMatchObject([{ kind: 'key', key: 'new' }])
      expect(conflicts).toEqual([{ bucket: 'other', reason: 'refused' }])
      expect(await (await store.objects.get('other', 'mine')).text()).toBe('m')
    })

    it('ends a task with the code that its call throws', async () => {
      for (let i = 0; i < 3; i++) await put(`k${i}`, 'x', agent)
      expect(await codeOf(undo({ inParts: true, partSize: 2 }))).toBe('UndoConflict')
      const [ended] = await list(store.log({ types: ['TaskEnded'] }))
      expect(ended).toMatchObject({ data: { outcome: 'failed', code: 'UndoConflict' } })
    })
  })

  it('of an undo deletes an empty fork again', async () => {
    await store.buckets.create('base')
    await store.buckets.fork('base', 'fork')
    await agent.buckets.delete('fork')
    const { id = '' } = await undo()
    expect(await store.buckets.exists('fork')).toBe(true)
    expect(await store.undo({ requestId: id })).toMatchObject({ conflicts: [] })
    expect(await store.buckets.exists('fork')).toBe(false)
  })

  it('tells the settings of a bucket apart where one was changed meanwhile', async () => {
    const { settings } = agent.buckets
    await settings.put('box', 'RequestPayment', 'Requester')
    await settings.put('box', 'Acceleration', 'Enabled')
    await settings.put('box', 'Tags', [{ key: 'x', value: 'agent' }])
    await settings.put('box', 'Policy', '{}')
    let changed: Promise<unknown> | undefined
    const { commit } = ports.journal
    Object.assign(ports.journal, {
      commit(part: Commit) {
        changed ??= store.buckets.settings.put('box', 'Tags', [{ key: 'x', value: 'owner' }])
        return commit(part)
      },
    })
    const { entries, conflicts } = await undo({ onConflict: 'skip', inParts: true, partSize: 2 })
    await changed
    expect(entries).toMatchObject([{ setting: 'RequestPayment' }, { setting: 'Acceleration' }, { setting: 'Policy' }])
    expect(conflicts).toEqual([{ bucket: 'box', setting: 'Tags', reason: 'refused' }])
  })

  it('does not take back a bucket where there is another one of its name', async () => {
    await agent.buckets.create('other')
    await agent.buckets.delete('other')
    await store.buckets.create('other')
    const { conflicts } = await undo({ onConflict: 'skip' })
    expect(conflicts).toMatchObject([{ bucket: 'other', reason: 'changed' }])
  })

  it('takes a deleted bucket back, and uploads that begin in it stay', async () => {
    await store.buckets.create('other', { versioning: 'Enabled', settings: { Tags: [{ key: 'a', value: 'b' }] } })
    await store.uploads.create('other', 'left behind')
    await agent.buckets.delete('other')
    await undo()
    expect(await store.buckets.settings.get('other', 'Tags')).toEqual([{ key: 'a', value: 'b' }])
    const upload = await store.uploads.create('other', 'k')
    await store.sweep()
    const part = await store.uploads.uploadPart(upload, 1, 'bytes of a part')
    await store.uploads.complete(upload, [{ partNumber: 1, etag: part.etag }])
    expect(await (await store.objects.get('other', 'k')).text()).toBe('bytes of a part')
    await isWhole()
  })

  it('keeps the bytes of what it takes back', async () => {
    await put('a')
    await agent.objects.delete('box', 'a')
    await undo()
    ports.clock.time += 2_000 * day
    await store.clock.accept()
    await store.sweep()
    expect(await text('a')).toBe('the bytes of a')
    await store.objects.delete('box', 'a')
    ports.clock.time += 2_000 * day
    await store.clock.accept()
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    await isWhole()
  })

  it('shows in the history of a key each time that it was there', async () => {
    await put('a')
    await agent.objects.delete('box', 'a')
    await undo()
    const types = (await list(store.history('box', 'a'))).map(({ type }) => type)
    expect(types).toEqual(['VersionAdded', 'VersionRemoved', 'VersionRestored'])
  })

  it.each([
    [{}, 'InvalidArgument'],
    [{ bucket: 'box' }, 'InvalidArgument'],
    [{ by: 'agent', prefix: 'x' }, 'InvalidArgument'],
    [{ by: 'agent', types: ['Nothing'] }, 'InvalidArgument'],
    [{ by: 'agent', onConflict: 'ask' }, 'InvalidArgument'],
    [{ from: 1e9 }, 'MomentOutOfRange'],
  ])('is refused with a code if it is wrong: %j', async (wrong, code) => {
    expect(await codeOf(store.undo(wrong as UndoRequest))).toBe(code)
  })
})
