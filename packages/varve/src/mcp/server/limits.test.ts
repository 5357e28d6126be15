/** What a session cannot reach, and how much it can write. */
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { type Connected, connect, settings } from './connected.fixture.ts'

let store: Store
let agent: Connected
beforeEach(async () => {
  store = await memoryStore({ retentionMs: 3_600_000 })
  await store.buckets.create('notes', { versioning: 'Enabled' })
  for (const key of ['agent/own', 'agent2/sibling', 'agent', 'secret', '../secret', 'other/agent/x']) {
    await store.objects.put('notes', key, `secret of ${key}`)
  }
  agent = await connect(store, { prefix: 'agent' })
})
afterEach(async () => {
  await agent.client.close()
  await store.close()
})

describe('beyond its prefix a session', () => {
  it('sees nothing', async () => {
    expect((await agent.call('list', { recursive: true })).facts).toMatchObject({ entries: [{ key: 'own' }] })
    expect((await agent.call('search', { words: 'secret' })).facts).toEqual({ entries: [] })
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ name }) => name)).toEqual(['own'])
    for (const prefix of ['../', '/', '2/', '..', '\u0000']) {
      expect((await agent.call('list', { prefix, recursive: true })).facts).toEqual({ entries: [] })
    }
  })

  it.each(['../secret', '/secret', 'secret', '2/sibling', '..%2fsecret', 'agent/own', ''])(
    'cannot read %j',
    async (key) => {
      expect(await agent.refusal('read', { key })).toBe('NoSuchKey')
      expect((await agent.call('history', { key })).facts).toMatchObject({ entries: [] })
      expect(await agent.refusal('move', { from: key, to: 'mine' })).toBe('NoSuchKey')
      expect(await agent.refusal('delete', { key })).toBe('NoSuchKey')
      const uri = `varve://notes/${encodeURIComponent(key)}`
      await expect(agent.client.readResource({ uri })).rejects.toThrow()
    },
  )

  it('cannot continue a page of others', async () => {
    for (const cursor of ['../', '', '\u0000', '~~~', 'zzz', '/secret']) {
      const listed = (await agent.call('list', { cursor, recursive: true })).facts as unknown as {
        entries: { key: string }[]
      }
      expect(listed.entries.every(({ key }) => key === 'own')).toBe(true)
    }
    await store.objects.put('notes', 'secret', 'changed')
    expect((await agent.call('diff', { from: '2', cursor: '../' })).facts['entries']).not.toContainEqual(
      expect.objectContaining({ key: expect.stringContaining('secret') }),
    )
  })

  it('changes nothing, whatever it deletes, restores or undoes', async () => {
    const { seq } = store
    await store.objects.put('notes', 'secret', 'changed by a person')
    await agent.confirmed('delete_prefix', { prefix: '' })
    await agent.confirmed('restore', { to: String(seq) })
    await agent.call('write', { key: 'own', text: 'mine' })
    await agent.confirmed('undo')
    for await (const event of store.log({ by: agent.actor })) {
      expect('key' in event.data && event.data.key).toMatch(/^agent\//)
    }
    expect(await (await store.objects.get('notes', 'secret')).text()).toBe('changed by a person')
  })

  it('shows no settings of the bucket', async () => {
    await store.buckets.settings.put('notes', 'Tags', [{ key: 'secret', value: 'x' }])
    expect((await agent.call('diff', { from: '2' })).facts).toMatchObject({ entries: [{ key: 'own' }] })
  })

  describe('while the clock stands still', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }))
    afterEach(() => vi.useRealTimers())

    /** Leaves the position at which the bucket held `old`. */
    async function deletedBucket(name: string): Promise<number> {
      await store.buckets.create(name)
      await store.objects.put(name, 'old', 'secret')
      const { seq } = store
      await store.objects.delete(name, 'old')
      await store.buckets.delete(name)
      return seq
    }

    it('does not see a bucket that had the name before', async () => {
      const seq = await deletedBucket('reused')
      const later = await connect(store, { bucket: 'reused' })
      expect(await later.refusal('read', { key: 'old', at: String(seq) })).toBe('NoSuchBucket')
      expect(await later.refusal('list', { at: String(seq) })).toBe('NoSuchBucket')
      expect(await later.refusal('diff', { from: String(seq) })).toBe('NoSuchBucket')
      expect(await later.refusal('restore', { to: String(seq) })).toBe('NoSuchBucket')
      expect((await later.call('history', { key: 'old' })).facts).toMatchObject({ entries: [] })
    })

    it('does not see in a fork what had the name of the fork, or of its base, before', async () => {
      for (const name of ['reused', 'forked']) await deletedBucket(name)
      await store.buckets.create('reused', { versioning: 'Enabled' })
      const put = await store.objects.put('reused', 'old', 'own')
      await store.buckets.fork('reused', 'forked')
      await store.objects.put('reused', 'old', 'later than the fork')
      const forked = await connect(store, { bucket: 'forked' })
      expect((await forked.call('history', { key: 'old' })).facts).toMatchObject({
        entries: [{ event: 'VersionAdded', versionId: put.versionId }],
      })
    })
  })
})

describe('the limits of a session', () => {
  const limited = (limits: Partial<typeof settings.limits>) =>
    connect(store, { limits: { ...settings.limits, ...limits } })

  it('refuse an object that is too large, before it is written', async () => {
    const small = await limited({ objectBytes: 10 })
    expect(await small.refusal('write', { key: 'a', text: 'é'.repeat(6) })).toBe('EntityTooLarge')
    await small.call('write', { key: 'a', text: 'é'.repeat(5) })
  })

  it('count the bytes of all writes, also of those at the same time', async () => {
    const small = await limited({ sessionBytes: 25 })
    const writes = ['a', 'b', 'c', 'd'].map((key) => small.refusal('write', { key, text: '0123456789' }))
    const codes = await Promise.all(writes)
    expect(codes.filter((code) => code === 'AccessDenied')).toHaveLength(2)
    expect((await small.call('status')).facts).toMatchObject({ left: { sessionBytes: 5 } })
  })

  it('count every change, and leave what exceeds them undone', async () => {
    const small = await limited({ operations: 3 })
    await small.call('write', { key: 'd/1', text: 'x' })
    for (const key of ['d/2', 'd/3']) await store.objects.put('notes', key, 'x')
    const { facts } = await small.call('delete_prefix', { prefix: 'd/' })
    expect(await small.refusal('delete_prefix', { prefix: 'd/', confirm: facts['confirm'] })).toBe('AccessDenied')
    expect(await store.objects.exists('notes', 'd/3')).toBe(true)
  })

  it('are of one session', async () => {
    const [one, two] = [await limited({ operations: 1 }), await limited({ operations: 1 })]
    await one.call('write', { key: 'a', text: 'x' })
    expect(await one.refusal('write', { key: 'a', text: 'x' })).toBe('AccessDenied')
    await two.call('write', { key: 'a', text: 'x' })
  })
})
