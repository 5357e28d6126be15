/** Answers of the control API that a client opens and does not read: each reserves memory in the budget of its identity. */
import { createHash } from 'node:crypto'
import type { Store } from '@varve/core'
import { controlApi } from '@varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFetchHandler,
  createIdentity,
  type FetchHandler,
  type Identity,
  parsePolicy,
  signRequest,
} from '../http.ts'
import { memoryStore } from '../store/memory-store.ts'
import { controlRequests } from './control-requests.fixture.ts'

const mib = 1024 * 1024
/** Half of the budget is for one identity: streams of 256 KiB, and bodies of objects of 128 KiB. */
const streamsMax = 8
const budgets = { answerBytesMax: 4 * mib, bodyBytesMax: 2 * mib }

const root = createIdentity({ name: 'root', accessKeyId: 'KEYroot', secretAccessKey: 'secret of root', root: true })
const other = createIdentity({
  name: 'other',
  accessKeyId: 'KEYother',
  secretAccessKey: 'secret of other',
  policy: parsePolicy({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ['varve:*', 's3:*'], Resource: '*' }],
  }),
})

let store: Store
let handler: FetchHandler
beforeAll(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  await store.buckets.setVersioning('photos', 'Enabled')
  const bytes = new Uint8Array(mib).fill(7)
  await store.objects.put('photos', 'public/a', bytes)
  for (let i = 0; i < 300; i++)
    await store.objects.put('photos', `public/${i}`, 'x', { metadata: { a: 'x'.repeat(900) } })
  await store.buckets.fork('photos', 'photos-try')
  for (let i = 0; i < 20; i++) await store.identities.create(`user-${i}`, {})
  handler = await createFetchHandler({ store, controlStore: () => store, identities: [root, other], ...budgets })
})
afterAll(() => store.close())

interface Sent {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function send(by: Identity, method: string, path: string, { body = '', headers: more = {} }: Sent = {}) {
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const { accessKeyId, secretAccessKey } = by
  const payloadHash = createHash('sha256').update(body).digest('hex')
  const { headers } = signRequest(
    { method, rawPath, rawQuery, headers: [['host', 'localhost']] },
    { accessKeyId, secretAccessKey, region: 'us-east-1', now: Date.now(), payloadHash },
  )
  const sent = [...headers, ...Object.entries(more)] as [string, string][]
  return handler(new Request(`http://localhost${path}`, { method, headers: sent, ...(body !== '' && { body }) }))
}

/** What must be another one each time, and what this store needs. */
let nth = 0
const requests: Readonly<Record<string, readonly [path: string, body?: object]>> = {
  ...controlRequests,
  restoreObjects: ['/-/v1/restore', { bucket: 'photos', to: 200, dryRun: true }],
  mergeFork: ['/-/v1/merge', { fork: 'photos-try', dryRun: true }],
  readDiff: ['/-/v1/diff?bucket=photos&from=3'],
}
function requestOf(operation: string): readonly [path: string, sent: { readonly body?: string }] {
  nth++
  if (operation === 'takeSubscription')
    return [requests[operation]?.[0] ?? '', { body: JSON.stringify({ name: `reader-${nth}` }) }]
  const [path, body] = requests[operation] ?? ['']
  return [path, body === undefined ? {} : { body: JSON.stringify(body) }]
}

/** Opens answers that are not read, until one is refused. */
async function opened(
  open: () => Promise<Response>,
): Promise<{ readonly answers: Response[]; readonly refused: Response }> {
  const answers: Response[] = []
  for (;;) {
    const answer = await open()
    if (answer.status === 503 || answers.length > 3 * streamsMax) return { answers, refused: answer }
    expect(answer.status).toBeLessThan(300)
    answers.push(answer)
  }
}

const leave = (answers: readonly Response[]) => Promise.all(answers.map(async ({ body }) => body?.cancel()))

const streaming = Object.entries(controlApi).filter(
  ([, row]) => row.gives !== 'value' && !('isLocalOnly' in row && row.isLocalOnly === true),
)

describe('an answer that streams and is not read', () => {
  it.each(streaming.map(([name, row]) => [name, row] as const))('%s is limited for one identity', async (name, row) => {
    const open = () => send(root, row.method, ...requestOf(name))
    const { answers, refused } = await opened(open)
    // An answer without a line has ended, and holds nothing.
    if (refused.status === 200 && (await refused.text()) === '') return
    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain('SlowDown')
    expect(answers.length).toBeGreaterThan(0)
    expect(answers.length).toBeLessThanOrEqual(streamsMax)
    // Others are served meanwhile.
    const served = await send(other, 'GET', '/-/v1/log?to=3')
    expect(served.status).toBe(200)
    expect((await served.text()).split('\n')).toHaveLength(4)
    await leave(answers)
    const again = await open()
    expect(again.status).toBe(200)
    await leave([again])
  })

  it.each([
    ['followed', '/-/v1/log?follow=true', {}],
    ['as events', '/-/v1/log', { accept: 'text/event-stream' }],
    ['at its end', '/-/v1/log?follow=true&from=100000', {}],
  ] as const)('a log is limited, %s', async (_, path, headers) => {
    const { answers, refused } = await opened(() => send(root, 'GET', path, { headers }))
    expect([refused.status, answers.length]).toEqual([503, streamsMax])
    await leave(answers)
  })

  it('gives every line when it is read', async () => {
    let versions = 0
    for await (const _ of store.versions.list('photos')) versions++
    for (const [path, count] of [
      ['/-/v1/objects?bucket=photos&prefix=public', 301],
      ['/-/v1/versions?bucket=photos', versions],
      ['/-/v1/objects?bucket=photos&prefix=public%2F1', 111],
      ['/-/v1/log', store.seq],
    ] as const) {
      const lines = (await (await send(root, 'GET', path)).text()).trim().split('\n')
      expect([path, lines.length, new Set(lines).size]).toEqual([path, count, count])
    }
  })
})
