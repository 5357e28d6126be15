/** The log as monitors read it: checkpoints and tiles below `/-/log/`. */
import { createHash } from 'node:crypto'
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ControlClient } from '../control/control-client.ts'
import { socketTransport } from '../control/socket-transport.ts'
import { createIdentity, parsePolicy, type RunningServer, serve, signRequest } from '../http.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { memoryStore } from '../store/memory-store.ts'
import { openStore } from '../store/open-store.ts'
import { checkCheckpoint } from './proofs.ts'

const scratch = scratchDirectory()

const allows = (...actions: readonly string[]) =>
  parsePolicy({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }] })
const person = (name: string, policy: ReturnType<typeof parsePolicy> | undefined, root = false) =>
  createIdentity({
    name,
    accessKeyId: name.toUpperCase(),
    secretAccessKey: `${name}-secret-secret`,
    root,
    ...(policy && { policy }),
  })
const identities = [
  person('root', undefined, true),
  person('monitor', allows('varve:ReadCheckpoints')),
  person('all', allows('*')),
  person('reader', allows('varve:ReadLog')),
]

let store: Store
let server: RunningServer
let end: () => Promise<void>

interface Opening {
  readonly openLog?: boolean
}

async function servedHere(options: Opening): Promise<void> {
  store = await memoryStore()
  server = await serve({ store, controlStore: () => store, identities, port: 0, ...options })
  end = () => store.close()
}

/** As a worker does. */
async function servedByOwner(options: Opening): Promise<void> {
  store = await openStore(scratch.next())
  const client = new ControlClient(await socketTransport(store.dir ?? ''))
  server = await serve({ store, controlForward: () => client, identities, port: 0, ...options })
  end = async () => {
    await client.close()
    await store.close()
  }
}

afterEach(async () => {
  await server.close()
  await end()
})

const empty = createHash('sha256').digest('hex')

async function get(path: string, { by, method = 'GET' }: { by?: string; method?: string } = {}) {
  const { host } = new URL(server.url)
  const identity = identities.find(({ displayName }) => displayName === by)
  const headers = [['host', host] as const]
  const keys = identity && {
    accessKeyId: identity.accessKeyId,
    secretAccessKey: identity.secretAccessKey,
    region: 'us-east-1',
    now: Date.now(),
    payloadHash: empty,
  }
  const signed = keys && signRequest({ method, rawPath: path, rawQuery: '', headers }, keys)
  const sent = Object.fromEntries((signed?.headers ?? []).filter(([name]) => name !== 'host'))
  return fetch(new URL(path, server.url), { method, headers: sent })
}

describe.each([
  { where: 'the process of the server', open: servedHere },
  { where: 'the process that has the store open', open: servedByOwner },
])('the log, answered by $where,', ({ open }) => {
  describe('by default', () => {
    beforeEach(() => open({}))

    it('needs an identity that may read checkpoints', async () => {
      for (const path of ['/-/log/checkpoint', '/-/log/tile/0/000.p/1']) {
        expect((await get(path)).status).toBe(403)
        for (const by of ['all', 'reader']) expect((await get(path, { by })).status).toBe(403)
      }
      expect((await get('/-/log/checkpoint', { by: 'monitor' })).status).toBe(200)
      expect((await get('/-/log/tile/0/000.p/1', { by: 'monitor' })).status).toBe(200)
      expect((await get('/-/log/checkpoint', { by: 'root' })).status).toBe(200)
    })
  })

  describe('shown to everyone', () => {
    beforeEach(async () => {
      await open({ openLog: true })
      await store.buckets.create('photos')
      for (let i = 0; i < 300; i++) await store.objects.put('photos', `k${i}`, 'x')
    })

    it('has a checkpoint and the tiles that lead to its root', async () => {
      const answer = await get('/-/log/checkpoint')
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const text = await answer.text()
      const { size } = await checkCheckpoint(text, await store.proofs.key())
      expect(size).toBe(store.seq)
      const tile = await get('/-/log/tile/0/000')
      expect(tile.headers.get('content-type')).toBe('application/octet-stream')
      expect(tile.headers.get('cache-control')).toContain('immutable')
      expect(await tile.arrayBuffer()).toHaveProperty('byteLength', 8192)
      const rest = await get(`/-/log/tile/0/001.p/${size - 256}`)
      expect(await rest.arrayBuffer()).toHaveProperty('byteLength', (size - 256) * 32)
      const entries = await get('/-/log/tile/entries/000')
      expect(await entries.arrayBuffer()).toHaveProperty('byteLength', 256 * 34)
    })

    it('answers HEAD, and no other method', async () => {
      expect((await get('/-/log/checkpoint', { method: 'HEAD' })).status).toBe(200)
      expect((await get('/-/log/checkpoint', { method: 'POST' })).status).toBe(405)
      expect((await get('/-/log/checkpoint', { method: 'DELETE' })).status).toBe(405)
    })

    it.each(['', 'tile/0/002', 'tile/0/001', 'tile/9/000', 'tile/0/000.p/0', 'tile/0/x', '../v1/log', 'issuer/1'])(
      'has no %j',
      async (path) => {
        await get('/-/log/checkpoint')
        expect((await get(`/-/log/${path}`)).status).toBeGreaterThanOrEqual(400)
      },
    )

    it('signs once a second at most, however many ask', async () => {
      const texts = await Promise.all(Array.from({ length: 20 }, async () => (await get('/-/log/checkpoint')).text()))
      expect(new Set(texts).size).toBe(1)
      await store.objects.put('photos', 'later', 'x')
      const now = await (await get('/-/log/checkpoint')).text()
      expect([texts[0], (await store.proofs.checkpoint()).text]).toContain(now)
    })

    it('shows nothing else to everyone', async () => {
      for (const path of ['/-/v1/proofs/checkpoint', '/-/v1/log', '/photos']) expect((await get(path)).status).toBe(403)
    })
  })
})
