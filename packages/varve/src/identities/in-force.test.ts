/** What was answered is in force: no request that begins after the answer is decided by what was before. */
import { Agent } from 'node:http'
import { createIdentity, type RunningServer, serve } from '../http.ts'
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../store/memory-store.ts'
import { followIdentities } from './follow-identities.ts'
import { narrowed, narrowings, ofIdentities, statusesOf } from './narrowed-rights.fixture.ts'
import { call } from './signed-calls.fixture.ts'

const keys = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const root = createIdentity({ name: 'root', id: 'root', ...keys, root: true })

let store: Store
let server: RunningServer
let unfollow: () => void
let agent: Agent
/** What delays the server's use of a change. */
let gate: () => Promise<void> = async () => undefined
let replaced = 0

beforeEach(async () => {
  gate = async () => undefined
  agent = new Agent({ keepAlive: true })
  store = await memoryStore()
  server = await serve({ store, controlStore: () => store, identities: [root], port: 0 })
  unfollow = await followIdentities(store, [root], async (identities, sessions) => {
    await gate()
    replaced++
    server.replaceIdentities(identities, sessions)
  })
})

afterEach(async () => {
  unfollow()
  agent.destroy()
  await server.close({ graceMs: 0 })
  await store.close()
})

const served = () => ({ url: server.url, root: keys })

/** Closes the gate. `reached` resolves when a change waits in it. */
function closedGate() {
  let open: () => void = () => undefined
  let arrive: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (arrive = resolve))
  gate = () => {
    arrive()
    return opened
  }
  return { open, reached }
}

/** Everything that does not wait for the gate has had its turn: other requests and commits were answered meanwhile. */
async function others(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    expect((await call(served(), keys, ['PUT /others'])).status).toBeLessThan(500)
    expect((await call(served(), keys, ['PUT /others/key', String(i)])).status).toBe(200)
  }
}

describe.each(narrowings)('%s', (name) => {
  it('takes the right from all requests after the answer', async () => {
    const one = await narrowed(served(), name)
    expect(await statusesOf(one, agent)).toEqual([200])
    const { open, reached } = closedGate()
    let isAnswered = false
    const answer = one.narrow().finally(() => (isAnswered = true))
    if (ofIdentities.includes(name)) {
      await reached
      await others()
      expect(isAnswered).toBe(false)
      const before = replaced
      open()
      expect((await answer).status).toBe(200)
      expect(replaced).toBeGreaterThan(before)
    }
    expect((await answer).status).toBeLessThan(300)
    expect(await statusesOf(one, agent)).toEqual(['refused'])
    open()
  })
})

describe('a change of identities', () => {
  it('is answered by all followers, and by none when they have ended', async () => {
    const { open, reached } = closedGate()
    const second = await followIdentities(store, [root], () => undefined)
    const creating = store.identities.create('ann')
    await reached
    second()
    let isAnswered = false
    void creating.finally(() => (isAnswered = true))
    await others()
    expect(isAnswered).toBe(false)
    unfollow()
    await creating
    open()
  })

  it('waits for the server that replaces another one, and not only for that one', async () => {
    await store.identities.create('ann')
    const { open, reached } = closedGate()
    const removing = store.identities.remove('ann')
    await reached
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const next = followIdentities(store, [root], () => released)
    unfollow()
    let isAnswered = false
    void removing.finally(() => (isAnswered = true))
    await others()
    expect(isAnswered).toBe(false)
    release()
    unfollow = await next
    await removing
    open()
  })

  it('is refused while it cannot be used, and rejects when the store closes', async () => {
    const { open, reached } = closedGate()
    const creating = store.identities.create('ann')
    const outcome = expect(creating).rejects.toMatchObject({ code: 'StoreClosed' })
    await reached
    await store.close()
    await outcome
    open()
  })

  it('is used in the order of the log, also while an earlier one is being read', async () => {
    const first = closedGate()
    const creating = store.identities.create('ann')
    await first.reached
    const more = Array.from({ length: 5 }, (_, i) => store.identities.create(`more-${i}`))
    first.open()
    await Promise.all([creating, ...more])
    const key = (await store.identities.addKey('ann')) as typeof keys
    expect((await call(served(), key, ['GET /'])).status).toBe(200)
    await store.identities.remove('ann')
    expect((await call(served(), key, ['GET /'])).status).toBe(403)
  })
})
