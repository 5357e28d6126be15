import { describe, expect, it } from 'vitest'
import { alice, bob, reader } from '../signed-request.fixture.ts'
import { pause } from '../test-server.fixture.ts'
import type { Client } from '../contract/operation.ts'
import { IdentityDirectory } from './identity-directory.ts'
import { createIdentity } from '../access/identity-schema.ts'

/** A request that is over when its connection is ended, or when the test says so. */
function requestOf() {
  const acts: (() => void)[] = []
  const request = { isEnded: false, over: () => acts.splice(0).forEach((act) => act()) }
  const client: Client = {
    signal: new AbortController().signal,
    onOver: (act) => void acts.push(act),
    disconnect() {
      request.isEnded = true
      request.over()
    },
  }
  return { client, request }
}

const copyOf = ({ name, id, accessKeyId, secretAccessKey, policy }: typeof alice) =>
  createIdentity({ name, id, accessKeyId, secretAccessKey, ...(policy && { policy }) })

describe('the identities of a server', () => {
  it('are those of the last replacement, also for people that are looked up', () => {
    const directory = new IdentityDirectory([alice])
    const { people } = directory
    expect([directory.find('ALICE'), directory.find('BOB'), people.byId('bob')]).toEqual([alice, undefined, undefined])
    directory.replace([bob])
    expect([directory.find('ALICE'), directory.find('BOB'), people.byId('bob')]).toEqual([undefined, bob, bob])
  })

  it('end the requests of a key that is gone, has another policy or another secret, after a grace', async () => {
    const directory = new IdentityDirectory([alice, bob, reader])
    const [ofAlice, ofBob, ofReader, over] = [requestOf(), requestOf(), requestOf(), requestOf()]
    directory.begin(alice, ofAlice.client)
    directory.begin(bob, ofBob.client)
    directory.begin(reader, ofReader.client)
    directory.begin(alice, over.client)
    over.request.over()
    const { policy: _policy, ...unlimited } = { ...reader, secretAccessKey: reader.secretAccessKey }
    directory.replace([copyOf(bob), createIdentity(unlimited)])
    expect([ofAlice, ofBob, ofReader].map(({ request }) => request.isEnded)).toEqual([false, false, false])
    await expect.poll(() => [ofAlice, ofReader].map(({ request }) => request.isEnded)).toEqual([true, true])
    expect([ofBob.request.isEnded, over.request.isEnded]).toEqual([false, false])
  })

  it('end a request whose credentials were verified before the replacement, and begins after it', async () => {
    const directory = new IdentityDirectory([alice])
    directory.replace([])
    const { client, request } = requestOf()
    directory.begin(alice, client)
    await expect.poll(() => request.isEnded).toBe(true)
  })

  it('leave requests of identities alone that are in no list', async () => {
    const directory = new IdentityDirectory([alice], {
      findOther: (accessKeyId) => (accessKeyId === 'BOB' ? bob : undefined),
    })
    const { client, request } = requestOf()
    directory.begin(bob, client)
    directory.replace([])
    await pause(700)
    expect(request.isEnded).toBe(false)
  })

  it('do not lose a session to a key that has its id', () => {
    const sessions = { roles: [], tokenKey: Buffer.alloc(32, 7).toString('base64') }
    const directory = new IdentityDirectory([alice], { sessions })
    const keys = { accessKeyId: 'ASIATAKEN', secretAccessKey: 'secret-of-a-session' }
    const expiresAt = Date.now() + 60_000
    const token = directory.seal({ ...keys, expiresAt, parentKeyId: 'ALICE', parentId: 'alice' })
    const eve = createIdentity({ name: 'eve', accessKeyId: 'ASIATAKEN', secretAccessKey: 'secret-of-eve' })
    directory.replace([alice, eve], sessions)
    expect([directory.find('ASIATAKEN', token)?.id, directory.find('ASIATAKEN')]).toEqual(['alice', eve])
  })
})
