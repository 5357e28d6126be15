/** Root names the actor of its requests over HTTP; others cannot. */
import type { Store } from '@varve/core'
import { isStorageError } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attachedStore } from '../attached/attached-store.ts'
import { createIdentity, type Identity, parsePolicy, type RunningServer, serve } from '../http.ts'
import { memoryStore } from '../store/memory-store.ts'
import { ControlClient } from './control-client.ts'
import { endpointTransport } from './endpoint-transport.ts'

const root = createIdentity({ name: 'root', accessKeyId: 'KEYROOT', secretAccessKey: 'secret of root', root: true })
const policy = parsePolicy({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 'varve:*', Resource: '*' }],
})
const other = createIdentity({ name: 'other', accessKeyId: 'KEYOTHER', secretAccessKey: 'secret of other', policy })
const agent = { id: 'mcp:agent:1', name: 'Agent "1", é' }

let store: Store
let server: RunningServer

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  server = await serve({ store, controlStore: () => store, identities: [root, other], port: 0 })
})
afterEach(async () => {
  await server.close({ graceMs: 0 })
  await store.close()
})

const attached = (identity: Identity) =>
  attachedStore(new ControlClient(endpointTransport(new URL(server.url), identity)))

describe('a request over HTTP', () => {
  it('is logged with the actor and the request id that root names', async () => {
    const remote = attached(root)
    await remote.as({ by: agent, requestId: 'request-1' }).objects.put('photos', 'a', 'text')
    await remote.objects.put('photos', 'b', 'text')
    const events = []
    for await (const event of remote.log({ bucket: 'photos' })) events.push(event)
    expect(events.at(-2)).toMatchObject({ by: agent, requestId: 'request-1' })
    expect(events.at(-1)?.by.id).toBe(root.id)
    const undone = await remote.undo({ by: agent.id })
    expect(undone.entries.length).toBe(1)
    await remote.close()
  })

  it('of another identity cannot name an actor, not even for what it may do', async () => {
    const remote = attached(other)
    expect(await remote.position()).toBeGreaterThan(0)
    const refused = await remote
      .as({ by: agent })
      .position()
      .catch((error: unknown) => error)
    expect(isStorageError(refused, 'AccessDenied')).toBe(true)
    await remote.close()
  })
})
