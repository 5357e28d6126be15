/** Destructive tools show a plan first, and do only what it shows. */
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { type Connected, connect } from './connected.fixture.ts'

let store: Store
let agent: Connected
beforeEach(async () => {
  store = await memoryStore({ retentionMs: 3_600_000 })
  agent = await connect(store)
  for (const key of ['a/1', 'a/2', 'b']) await store.objects.put('notes', key, `of a person: ${key}`)
})
afterEach(async () => {
  await agent.client.close()
  await store.close()
})

const keys = async (bucket = 'notes'): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const entry of store.objects.list(bucket)) if (entry.kind === 'object') found.push(entry.key)
  return found
}
const textOf = async (key: string): Promise<string> => (await store.objects.get('notes', key)).text()

describe('a destructive call', () => {
  it.each([
    ['delete', { key: 'a/1' }],
    ['delete_prefix', { prefix: 'a/' }],
    ['delete_prefix', { prefix: '' }],
    ['move', { from: 'a/1', to: 'b' }],
    ['restore', { to: '3' }],
  ])('%s changes nothing without the id of its plan', async (name, args) => {
    const { seq } = store
    const { facts } = await agent.call(name, args)
    expect(facts).toMatchObject({ changed: false, position: seq })
    expect(store.seq).toBe(seq)
    expect(await keys()).toEqual(['a/1', 'a/2', 'b'])
    expect((await agent.call(name, { ...args, confirm: facts['confirm'] })).facts).toMatchObject({ changed: true })
    expect(store.seq).toBeGreaterThan(seq)
  })

  it('makes a new plan if the state has changed, and does nothing', async () => {
    const { facts } = await agent.call('delete_prefix', { prefix: 'a/' })
    await store.objects.put('notes', 'a/3', 'added meanwhile')
    const again = await agent.call('delete_prefix', { prefix: 'a/', confirm: facts['confirm'] })
    expect(again.facts).toMatchObject({ changed: false, plan: { deletes: { count: 3 } } })
    expect(again.facts['confirm']).not.toBe(facts['confirm'])
    expect(await keys()).toHaveLength(4)
  })

  it('goes on if only what the plan is not about has changed', async () => {
    const { facts } = await agent.call('delete_prefix', { prefix: 'a/' })
    await store.objects.put('notes', 'c', 'added meanwhile')
    await agent.call('delete_prefix', { prefix: 'a/', confirm: facts['confirm'] })
    expect(await keys()).toEqual(['b', 'c'])
  })

  it('takes the id of a plan once, for the same arguments, tool and session', async () => {
    const { facts } = await agent.call('delete', { key: 'a/1' })
    const { confirm } = facts
    expect((await agent.call('delete', { key: 'a/2', confirm })).facts).toMatchObject({ changed: false })
    expect((await agent.call('delete', { key: 'a/1', confirm })).facts).toMatchObject({ changed: false })
    const fresh = (await agent.call('delete', { key: 'a/1' })).facts
    const other = await connect(store)
    expect((await other.call('delete', { key: 'a/1', confirm: fresh['confirm'] })).facts).toMatchObject({
      changed: false,
    })
    expect((await agent.call('delete_prefix', { prefix: 'a/1', confirm: fresh['confirm'] })).facts).toMatchObject({
      changed: false,
    })
    expect(await keys()).toEqual(['a/1', 'a/2', 'b'])
  })

  it('is not confirmed twice', async () => {
    const { facts } = await agent.call('delete', { key: 'a/1' })
    await agent.call('delete', { key: 'a/1', confirm: facts['confirm'] })
    await store.objects.put('notes', 'a/1', 'of a person: a/1')
    expect((await agent.call('delete', { key: 'a/1', confirm: facts['confirm'] })).facts).toMatchObject({
      changed: false,
    })
    expect(await textOf('a/1')).toBe('of a person: a/1')
  })

  it('with two calls of one plan at once is done once', async () => {
    const { facts } = await agent.call('restore', { to: '3' })
    const both = { to: '3', confirm: facts['confirm'] }
    const answers = await Promise.all([agent.call('restore', both), agent.call('restore', both)])
    expect(answers.filter((answer) => answer.facts['changed'])).toHaveLength(1)
  })
})

describe('move', () => {
  it('to a free key needs no plan, and copies no bytes', async () => {
    expect((await agent.call('move', { from: 'a/1', to: 'c/1' })).facts).toMatchObject({ changed: true })
    expect(await keys()).toEqual(['a/2', 'b', 'c/1'])
    expect(await textOf('c/1')).toBe('of a person: a/1')
  })

  it('over an object replaces it once that is confirmed', async () => {
    await agent.confirmed('move', { from: 'a/1', to: 'b' })
    expect(await keys()).toEqual(['a/2', 'b'])
    expect(await textOf('b')).toBe('of a person: a/1')
  })

  it.each([
    [{ from: 'none', to: 'c' }, 'NoSuchKey'],
    [{ from: 'b', to: 'b' }, 'InvalidRequest'],
    [{ from: 'b', to: '../b' }, 'InvalidArgument'],
    [{ from: 'b', to: '/b' }, 'InvalidArgument'],
    [{ from: 'b', to: '' }, 'InvalidArgument'],
  ])('refuses %j', async (args, code) => {
    expect(await agent.refusal('move', args)).toBe(code)
    expect(await keys()).toEqual(['a/1', 'a/2', 'b'])
  })
})

describe('undo', () => {
  it('takes back all that the session did, and nothing of others', async () => {
    const other = await connect(store)
    await agent.call('write', { key: 'b', text: 'nonsense' })
    await other.call('write', { key: 'of-other', text: 'stays' })
    await agent.confirmed('delete_prefix', { prefix: 'a/' })
    await agent.call('move', { from: 'b', to: 'c' })
    await agent.confirmed('undo')
    expect(await keys()).toEqual(['a/1', 'a/2', 'b', 'of-other'])
    expect(await textOf('b')).toBe('of a person: b')
  })

  it('takes back one call by its request id, and refuses that of others', async () => {
    const { facts } = await agent.call('write', { key: 'b', text: 'nonsense' })
    await agent.call('write', { key: 'kept', text: 'kept' })
    const other = await connect(store)
    expect((await other.call('undo', { request: facts['requestId'] })).facts).toMatchObject({
      note: 'There is nothing to change.',
    })
    await agent.confirmed('undo', { request: facts['requestId'] })
    expect(await textOf('b')).toBe('of a person: b')
    expect(await keys()).toContain('kept')
  })

  it('leaves what others have changed since', async () => {
    await agent.call('write', { key: 'b', text: 'nonsense' })
    await store.objects.put('notes', 'b', 'mended by a person')
    const { facts } = await agent.call('undo')
    expect(facts).toMatchObject({ plan: { conflicts: { count: 1, first: [{ key: 'b', reason: 'changed' }] } } })
    expect(await textOf('b')).toBe('mended by a person')
  })

  it('of a session can be done by a person with the name of its actor', async () => {
    await agent.confirmed('delete_prefix', { prefix: '' })
    await agent.call('write', { key: 'new', text: 'new' })
    await store.undo({ by: agent.actor })
    expect(await keys()).toEqual(['a/1', 'a/2', 'b'])
  })
})

describe('a fork', () => {
  it('takes all changes of its session, until a person merges it', async () => {
    const forked = await connect(store, { fork: true })
    const { bucket, forPeople } = (await forked.call('status')).facts as unknown as {
      bucket: string
      forPeople: Record<string, string>
    }
    expect(bucket).toMatch(/^notes-mcp-[0-9a-f]{8}$/)
    expect(forPeople['merge']).toBe(`varve merge s3://${bucket}`)
    await forked.confirmed('delete', { key: 'a/1' })
    await forked.call('write', { key: 'c', text: 'new' })
    expect(await keys()).toEqual(['a/1', 'a/2', 'b'])
    expect((await forked.call('diff')).facts).toMatchObject({
      entries: [
        { key: 'a/1', change: 'removed' },
        { key: 'c', change: 'added' },
      ],
    })
    await store.merge({ fork: bucket })
    expect(await keys()).toEqual(['a/2', 'b', 'c'])
  })

  it('can be made in the middle of a session, once', async () => {
    await agent.call('write', { key: 'c', text: 'in the base' })
    await agent.call('fork')
    await agent.confirmed('delete_prefix', { prefix: '' })
    expect(await keys()).toEqual(['a/1', 'a/2', 'b', 'c'])
    expect(await agent.refusal('fork')).toBe('InvalidRequest')
  })
})
