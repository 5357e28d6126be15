import { beforeEach, describe, expect, it } from 'vitest'
import { limits } from '../base/limits.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts, memorySecrets } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store
let stored: Map<string, string>

const policy = '{"Version":"2012-10-17","Statement":[]}'

beforeEach(async () => {
  stored = new Map()
  ports = { ...memoryPorts(), secrets: memorySecrets(stored) }
  store = await openEngine(ports)
})

async function reopen(): Promise<void> {
  await store.close()
  store = await openEngine(ports)
}

const create = async (name: string) => {
  const { key } = await store.identities.create(name)
  if (key === undefined) throw new Error('A user has a key.')
  return key
}

describe('an identity', () => {
  it('is created with a key, whose secret is in the answer and in no event, row or later answer', async () => {
    const { identity, key } = await store.identities.create('ann', { displayName: 'Ann', email: 'a@b.example', policy })
    expect(identity).toMatchObject({ name: 'ann', displayName: 'Ann', email: 'a@b.example', policy })
    expect(identity.id).toMatch(/^[0-9a-f]{64}$/)
    expect(identity.accessKeys).toMatchObject([{ accessKeyId: key?.accessKeyId }])
    const secret = key?.secretAccessKey as string
    expect(stored.get(key?.accessKeyId as string)).toBe(secret)
    for (const bytes of ports.journal.log) expect(Buffer.from(bytes).includes(secret)).toBe(false)
    for (const [, bytes] of ports.journal.rows.values()) expect(Buffer.from(bytes).includes(secret)).toBe(false)
    expect(JSON.stringify(await store.identities.list())).not.toContain(secret)
    expect((await list(store.log())).map(({ type }) => type)).toEqual(['IdentityCreated', 'AccessKeyAdded'])
  })

  it('has the actor of each change in the log, also of a refused one nothing', async () => {
    const boss = store.as({ by: { id: 'boss', name: 'Boss' } })
    await boss.identities.create('ann')
    const { key } = { key: (await store.identities.get('ann')).accessKeys[0] }
    await boss.identities.revokeKey('ann', key?.accessKeyId as string)
    expect(await codeOf(boss.identities.revokeKey('ann', 'AKIANONE'))).toBe('NoSuchEntity')
    const events = await list(store.log())
    expect(events.map(({ type, by }) => [type, by.id])).toEqual([
      ['IdentityCreated', 'boss'],
      ['AccessKeyAdded', 'boss'],
      ['AccessKeyRevoked', 'boss'],
    ])
  })

  it('has two keys while one replaces the other, and no third', async () => {
    const first = await create('ann')
    const second = await store.identities.addKey('ann')
    expect(await codeOf(store.identities.addKey('ann'))).toBe('LimitExceeded')
    expect(stored.size).toBe(2)
    await store.identities.revokeKey('ann', first.accessKeyId)
    expect((await store.identities.get('ann')).accessKeys.map(({ accessKeyId }) => accessKeyId)).toEqual([
      second.accessKeyId,
    ])
    expect([...stored.keys()]).toEqual([second.accessKeyId])
  })

  it('never gets an id or an access key id that another one has or had', async () => {
    await store.identities.create('ann', { id: 'a1', key: { accessKeyId: 'AKIAANN', secretAccessKey: 'of-ann-1' } })
    const again = (name: string, options: object) => codeOf(store.identities.create(name, options))
    const key = { accessKeyId: 'AKIAANN', secretAccessKey: 'another-1' }
    expect(await again('ann', {})).toBe('EntityAlreadyExists')
    expect(await again('bob', { id: 'a1' })).toBe('EntityAlreadyExists')
    expect(await again('bob', { key })).toBe('EntityAlreadyExists')
    expect(stored.get('AKIAANN')).toBe('of-ann-1')
    await store.identities.remove('ann')
    expect(await again('bob', { id: 'a1' })).toBe('EntityAlreadyExists')
    expect(await again('bob', { key })).toBe('EntityAlreadyExists')
    await reopen()
    expect(await again('bob', { key })).toBe('EntityAlreadyExists')
    expect([...stored.keys()]).toEqual([])
    expect(await again('ann', {})).not.toBe('EntityAlreadyExists')
  })

  it.each(['ci/bob', 'team/ci/bob', 'Bob', 'b\u200bob', 'ｂｏｂ'])(
    'never gets the name %s beside bob, which policies or people take for it',
    async (name) => {
      await create('bob')
      expect(await codeOf(store.identities.create(name))).toBe('EntityAlreadyExists')
      await create('bobby')
      await create('ci/rob')
      expect(await codeOf(store.identities.create('rob'))).toBe('EntityAlreadyExists')
      await store.identities.remove('bob')
      await create(name === 'Bob' ? 'bob' : 'ci/bob')
    },
  )

  it('is refused with the name, the id or the text of a policy that it cannot have', async () => {
    const refused = async (name: unknown, options?: object) =>
      expect(await codeOf(store.identities.create(name as string, options))).toBe('InvalidArgument')
    for (const name of ['', 'root', 'anonymous', 'local', 'varve', 'a\nb', 'x'.repeat(129), 7]) await refused(name)
    for (const id of ['', 'a/b', 'root', 'lifecycle', 'logging.s3.amazonaws.com', 'Logging.S3.amazonaws.com'])
      await refused('ann', { id })
    await refused('ann', { policy: 'x'.repeat(limits.identityPolicyBytesMax + 1) })
    await refused('ann', { policy: 'ä'.repeat(limits.identityPolicyBytesMax / 2 + 1) })
    await refused('ann', { key: { accessKeyId: 'AKIA', secretAccessKey: 'short' } })
    await refused('ann', { secret: 'x' })
    expect(store.seq).toBe(0)
    expect(stored.size).toBe(0)
  })

  it('can be a role, which has a trust policy and no keys', async () => {
    const { identity, key } = await store.identities.create('deployer', { trust: policy })
    expect([identity.trust, identity.accessKeys, key]).toEqual([policy, [], undefined])
    expect(await codeOf(store.identities.addKey('deployer'))).toBe('InvalidRequest')
    const given = { trust: policy, key: { accessKeyId: 'AKIAROLE', secretAccessKey: 'of-a-role' } }
    expect(await codeOf(store.identities.create('other', given))).toBe('InvalidRequest')
    const changed = await store.identities.setPolicies('deployer', { policy: '{}' })
    expect([changed.policy, changed.trust]).toEqual(['{}', policy])
    await create('ann')
    expect(await codeOf(store.identities.setPolicies('ann', { trust: policy }))).toBe('InvalidRequest')
  })

  it('keeps its policy until another one is set, and the same one again is no event', async () => {
    await create('ann')
    await store.identities.setPolicies('ann', { policy })
    const before = store.seq
    expect((await store.identities.setPolicies('ann', { policy })).policy).toBe(policy)
    expect(store.seq).toBe(before)
    expect(await store.identities.setPolicies('ann', {})).not.toHaveProperty('policy')
  })

  it('is whole or not there when two create it at once, and the secret of the other is gone', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.identities.create('ann')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { accessKeys } = await store.identities.get('ann')
    expect([...stored.keys()]).toEqual(accessKeys.map(({ accessKeyId }) => accessKeyId))
  })

  it('is computed again from the log, byte for byte', async () => {
    await create('ann')
    await create('bob')
    await store.identities.addKey('bob')
    await store.identities.setPolicies('bob', { policy })
    await store.identities.remove('ann')
    expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
    const before = await store.identities.list()
    await store.rebuild()
    expect(await store.identities.list()).toEqual(before)
  })

  it('needs a place for its secret', async () => {
    const { secrets: _none, ...without } = memoryPorts()
    const other = await openEngine(without)
    expect(await codeOf(other.identities.create('ann'))).toBe('NotImplemented')
    expect((await other.identities.create('deployer', { trust: policy })).identity.name).toBe('deployer')
    await other.close()
  })
})

describe('what was revoked', () => {
  it('is not brought back by an undo: alone it is refused, and among other changes it is left', async () => {
    const admin = store.as({ by: { id: 'admin', name: 'admin' } })
    await store.buckets.create('box')
    const { accessKeyId } = await create('ann')
    await admin.identities.revokeKey('ann', accessKeyId)
    const [revocation] = [store.seq]
    expect(await codeOf(store.undo({ by: 'admin' }))).toBe('NotUndoable')
    expect(await codeOf(store.undo({ from: revocation - 1, to: revocation }))).toBe('NotUndoable')
    expect(await codeOf(store.undo({ by: 'admin', onConflict: 'force' }))).toBe('NotUndoable')
    await admin.objects.put('box', 'k', 'x')
    const { left, entries } = await store.undo({ by: 'admin' })
    expect(left).toEqual([{ type: 'AccessKeyRevoked', events: 1 }])
    expect(entries).toHaveLength(1)
    expect((await store.identities.get('ann')).accessKeys).toEqual([])
  })

  it('is not brought back by a restore, a fork, a snapshot or a look into the past', async () => {
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'old')
    const { accessKeyId } = await create('ann')
    await store.identities.setPolicies('ann', { policy })
    await store.snapshots.create('before')
    const past = store.seq
    await store.objects.put('box', 'k', 'new')
    await store.identities.setPolicies('ann', {})
    await store.identities.revokeKey('ann', accessKeyId)
    await store.restore({ bucket: 'box', to: 'before' })
    await store.buckets.fork('box', 'fork', { at: past })
    expect(await store.at(past)).not.toHaveProperty('identities')
    const { accessKeys, ...ann } = await store.identities.get('ann')
    expect(accessKeys).toEqual([])
    expect(ann).not.toHaveProperty('policy')
    expect((await store.identities.credentials()).identities[0]?.keys).toEqual([])
  })

  it('has no secret after the next opening, if a crash left one', async () => {
    const { accessKeyId, secretAccessKey } = await create('ann')
    await store.identities.revokeKey('ann', accessKeyId)
    stored.set(accessKeyId, secretAccessKey)
    await reopen()
    await store.close()
    expect(stored.has(accessKeyId)).toBe(false)
  })
})
