/** Configured identities and those of the log: neither can take the place of the other. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentity, type Identity } from '@varve/http'
import { isStorageError, type Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../index.ts'
import { followIdentities } from './follow-identities.ts'
import { servedIdentities } from './managed-identities.ts'

const secretAccessKey = 'secret-of-a-configured-identity'
const root = createIdentity({ name: 'boss', id: 'boss-id', accessKeyId: 'BOSS', secretAccessKey, root: true })
const alice = createIdentity({
  name: 'Älice',
  id: 'alice',
  accessKeyId: 'Alice1',
  email: 'a@b.example',
  secretAccessKey,
})
const bob = createIdentity({ name: 'bob', accessKeyId: 'BOB', secretAccessKey })
const configured = [root, alice, bob]

let dir: string
let store: Store
let served: readonly Identity[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'varve-identities-'))
  store = await openStore(dir)
})

afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

const follow = (identities: readonly Identity[] = configured) =>
  followIdentities(store, identities, (all) => {
    served = all
  })

const outcomeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => 'created',
    (error: unknown) => (isStorageError(error) ? [error.code, error.details['Field']] : error),
  )

const spellings = (text: string): readonly string[] => [
  ...new Set([
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    text.normalize('NFD'),
    ` ${text}`,
    `${text}\u00a0`,
    `${text}\u200b`,
    `${text.slice(0, 2)}\u00ad${text.slice(2)}\ufe0f`,
    text.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) as number) + 0xfee0)),
  ]),
]

const keyOf = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 'secret-of-another' })
const trust =
  '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":{"AWS":"x"},"Action":"sts:AssumeRole"}}'

describe('what a configured identity has', () => {
  it('is not given to an identity of the log, in any spelling', async () => {
    await follow()
    const before = store.seq
    for (const { name, id, accessKeyId, email } of configured) {
      const taken = (field: string) => ['EntityAlreadyExists', field]
      for (const more of [{}, { trust }]) {
        for (const spelled of spellings(name)) {
          expect(await outcomeOf(store.identities.create(spelled, more)), spelled).toEqual(taken('name'))
        }
        for (const spelled of spellings(id).filter((text) => /^[\w.@+$-]*$/.test(text))) {
          expect(await outcomeOf(store.identities.create('eve', { id: spelled, ...more }))).toEqual(taken('id'))
        }
        for (const spelled of email === undefined ? [] : [email, email.toUpperCase()]) {
          expect(await outcomeOf(store.identities.create('eve', { email: spelled, ...more }))).toEqual(taken('email'))
        }
      }
      for (const spelled of [accessKeyId, accessKeyId.toLowerCase(), accessKeyId.toUpperCase()]) {
        expect(await outcomeOf(store.identities.create('eve', { key: keyOf(spelled) }))).toEqual(taken('accessKeyId'))
      }
      // Only with the same secret is it the same identity.
      const same = { id, key: keyOf(accessKeyId) }
      expect(await outcomeOf(store.identities.create(name, same))).toEqual(taken('name'))
    }
    const ofRoot = { id: root.id, key: { accessKeyId: root.accessKeyId, secretAccessKey } }
    expect(await outcomeOf(store.identities.create(root.name, ofRoot))).toEqual(['EntityAlreadyExists', 'name'])
    for (const name of ['Root', 'LOCAL', 'anonymous ', 'Varve']) {
      expect(await outcomeOf(store.identities.create(name))).toEqual(['InvalidArgument', undefined])
    }
    expect(store.seq).toBe(before)
    expect(await outcomeOf(store.identities.create('eve', { id: 'eve' }))).toBe('created')
  })

  it('is not given with a path before it or without its path, as policies do not tell these apart', async () => {
    const team = createIdentity({ name: 'team/carol', id: 'carol', accessKeyId: 'CAROL', secretAccessKey })
    await follow([...configured, team])
    for (const name of ['ci/bob', 'a/b/bob', 'CI/Bob', '/bob', 'carol', 'Carol', 'a/team/carol', 'ci/Älice']) {
      expect(await outcomeOf(store.identities.create(name)), name).toEqual(['EntityAlreadyExists', 'name'])
    }
    for (const name of ['bob/ci', 'jimbob', 'ci/jimmy', 'eve/carol', 'team']) {
      expect(await outcomeOf(store.identities.create(name)), name).toBe('created')
    }
  })

  it('is free again when it is configured no more, and never in use by two at once', async () => {
    const end = await follow()
    end()
    await follow([root])
    expect(await outcomeOf(store.identities.create(alice.name, { id: alice.id }))).toBe('created')
  })

  it('goes to the log with the identity itself, where it can be revoked and removed', async () => {
    await follow()
    const { id, accessKeyId } = alice
    const key = { accessKeyId, secretAccessKey }
    expect(await outcomeOf(store.identities.create(alice.name, { id, key }))).toBe('created')
    await expect.poll(() => served.filter((one) => one.id === id).length).toBe(1)
    await store.identities.revokeKey(alice.name, accessKeyId)
    await expect.poll(() => served.some((one) => one.id === id)).toBe(false)
    await store.identities.remove(alice.name)
    const { ignored, displaced } = await servedIdentities(store, configured)
    expect([ignored, displaced]).toEqual([[alice], []])
  })
})

describe('an identity of the log from before an identity was configured', () => {
  it.each([
    ['name', { name: alice.name, id: 'e1' }],
    ['id', { name: 'e1', id: alice.id }],
    ['name of root', { name: root.name, id: 'e1' }],
    ['id of root', { name: 'e1', id: root.id }],
    ['access key id', { name: 'e1', id: 'e1', key: keyOf(alice.accessKeyId) }],
    ['access key id of root', { name: 'e1', id: 'e1', key: keyOf(root.accessKeyId) }],
    ['e-mail address', { name: 'e1', id: 'e1', email: alice.email }],
    ['e-mail address in other case', { name: 'e1', id: 'e1', email: alice.email?.toUpperCase() }],
    ['name in other case', { name: alice.name.toUpperCase(), id: 'e1' }],
    ['id in other case', { name: 'e1', id: alice.id.toUpperCase() }],
    ['name, as a role', { name: alice.name, id: 'e1', trust }],
    ['id, as a role', { name: 'e1', id: alice.id, trust }],
  ])('is not used if it has the same %s', async (_, { name, ...options }) => {
    await store.identities.create(name, options)
    const other = await store.identities.create('other', { id: 'other' })
    const { identities, sessions, displaced, ignored } = await servedIdentities(store, configured)
    expect(new Set(identities.map(({ accessKeyId }) => accessKeyId))).toEqual(
      new Set(['Alice1', 'BOB', 'BOSS', other.key?.accessKeyId]),
    )
    for (const one of configured) {
      expect(identities.find(({ accessKeyId }) => accessKeyId === one.accessKeyId)?.secretAccessKey).toBe(
        secretAccessKey,
      )
    }
    expect([sessions?.roles, ignored, displaced.map((one) => one.name)]).toEqual([[], [], [name]])
  })
})
