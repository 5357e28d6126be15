import { Gate } from '@varve/core'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { parseBucketPolicy } from '../policies/bucket-policy.ts'
import { bucketOf } from '../fake-store.fixture.ts'
import { rawClient, requestHead } from '../raw-client.fixture.ts'
import { alice, bob } from '../signed-request.fixture.ts'
import { objectOf, owned, pause, put, request, testServer } from '../test-server.fixture.ts'
import { ByteBudget } from './byte-budget.ts'
import { Budgets, bodyBytes, bodyBytesFor, RequestBudget, runBytes } from './request-budget.ts'

let server: Awaited<ReturnType<typeof testServer>> | undefined
afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
})

describe('a budget of bytes', () => {
  it('never gives out more than there is, nor more than half to one, and takes everything back: property', () => {
    const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(60), gives: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const budget = new ByteBudget(100)
        const held: { holder: string; bytes: number }[] = []
        const of = (name: string) => held.reduce((sum, { holder, bytes }) => sum + (holder === name ? bytes : 0), 0)
        for (const { holder, bytes, gives } of steps) {
          const last = gives ? held.pop() : undefined
          if (last !== undefined) budget.give(last.holder, last.bytes)
          const fits = budget.held + bytes <= 100 && of(holder) + bytes <= 50
          if (fits) {
            budget.take(holder, bytes)
            held.push({ holder, bytes })
          } else expect(() => budget.take(holder, bytes)).toThrow(expect.objectContaining({ code: 'SlowDown' }))
          expect(budget.held).toBe(of('a') + of('b') + of('c'))
        }
        for (const { holder, bytes } of held) budget.give(holder, bytes)
        expect(budget.held).toBe(0)
      }),
      { seed: 20260605 },
    )
  })
})

describe('a gate', () => {
  it('lets a few in at a time, one of each holder before the second of any', async () => {
    const gate = new Gate(2)
    const order: string[] = []
    let inside = 0
    let most = 0
    const pass = (holder: string) =>
      gate.pass(holder, async () => {
        most = Math.max(most, ++inside)
        order.push(holder)
        await pause(1)
        inside--
      })
    await Promise.all(['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map(pass))
    expect(most).toBe(2)
    expect(order.join('')).toBe('aaabcaba')
  })

  it('frees the place of a task that fails', async () => {
    const gate = new Gate(1)
    await expect(gate.pass('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await gate.pass('a', async () => 1)).toBe(1)
  })
})

const deletion = (length: number, more: readonly string[] = []) =>
  requestHead('POST', '/bucket?delete', ['host', 'localhost', 'content-length', String(length), ...more])
const digestOf = (body: string) => ['content-md5', createHash('md5').update(body).digest('base64')]
const digest = ['content-md5', 'AAAAAAAAAAAAAAAAAAAAAA==']
const policy = (Action: string) => ({
  text: `{"Statement":{"Effect":"Allow","Principal":"*","Action":"${Action}","Resource":"arn:aws:s3:::bucket/*"}}`,
})
const withPolicy = (Action: string) => ({
  head: async () => bucketOf('alice', { settings: { Policy: 1 } }),
  settings: { get: async () => policy(Action).text } as never,
})

describe('a client that may delete nothing', () => {
  it.each([
    ['an anonymous client, where nothing is shared', owned],
    ['an anonymous client, where everybody may read', withPolicy('s3:GetObject')],
  ])('is refused before the body is taken: %s', async (_, buckets) => {
    server = await testServer({ buckets })
    const client = await rawClient(server.port)
    client.send(deletion(1000, [...digest, 'expect', '100-continue']))
    const text = await client.closed()
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
    expect(text).not.toContain('100 Continue')
  })

  const body = '<Delete><Object><Key>a</Key></Object></Delete>'
  const byBob = (more: readonly string[] = []) =>
    request('POST', '/bucket?delete', { by: bob, body }, ['connection', 'close', ...digestOf(body), ...more])

  it('is not refused as a whole with credentials: it gets an answer for each key', async () => {
    server = await testServer({ buckets: owned }, { identities: [bob] })
    const client = await rawClient(server.port)
    client.send(byBob(['expect', '100-continue']))
    await client.until(/100 Continue/)
    client.socket.destroy()
  })

  it('has what it sends with credentials counted against the budget', async () => {
    server = await testServer({ buckets: owned }, { identities: [bob], documentBytesMax: 10 })
    const client = await rawClient(server.port)
    client.send(byBob() + body)
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 503 [^]*<Code>SlowDown<\/Code>/)
  })

  it('is not one with a policy that allows deletes: that is checked for each key', async () => {
    expect(parseBucketPolicy(policy('s3:Delete*').text, 'bucket').statements).toHaveLength(1)
    server = await testServer({ buckets: withPolicy('s3:Delete*') })
    const client = await rawClient(server.port)
    client.send(deletion(1000, [...digest, 'expect', '100-continue']))
    await client.until(/100 Continue/)
    client.socket.destroy()
  })
})

describe('what a request holds', () => {
  it('is given back when the client is gone and the work for it is done, not before', async () => {
    const budgets = new Budgets()
    let leave: () => void = () => undefined
    const budget = new RequestBudget(budgets, { onOver: (act) => (leave = act) }, 'alice')
    let end: () => void = () => undefined
    const work = budget.during(() => {
      budget.holdDocument(100)
      budget.holdAnswer(10)
      return new Promise<void>((resolve) => (end = resolve))
    })
    leave()
    expect([budgets.documents.held, budgets.answers.held]).toEqual([100, 10])
    end()
    await work
    expect([budgets.documents.held, budgets.answers.held]).toEqual([0, 0])
  })
})

describe('documents that do not come to their end', () => {
  it('hold no more than the budget: the next gets SlowDown, until they are gone', async () => {
    const buckets = withPolicy('s3:Delete*')
    server = await testServer({ buckets }, { documentBytesMax: 64 * 1024 })
    const stalled = await rawClient(server.port)
    stalled.send(`${deletion(100_000, digest)}${'x'.repeat(30_000)}`)
    await pause(100)
    const second = await rawClient(server.port)
    second.send(`${deletion(100_000, digest)}${'x'.repeat(30_000)}`)
    const refused = await second.until(/<\/Error>/)
    expect(refused).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*<Code>SlowDown</)
    stalled.socket.destroy()
    await pause(100)
    const third = await rawClient(server.port)
    third.send(`${deletion(30_000, digest)}${'x'.repeat(30_000)}`)
    expect(await third.until(/<\/Error>/)).toMatch(/<Code>BadDigest</)
    for (const { socket } of [second, third]) socket.destroy()
  })
})

describe('unread listings', () => {
  it('hold no more than the budget, and give back what they held', async () => {
    const entries = Array.from({ length: 1000 }, (_, at) => ({ prefix: `${'"'.repeat(1000)}${at}`, kind: 'prefix' }))
    const listPage = async () => ({ entries, isTruncated: false, nextAfter: undefined }) as never
    const store = { buckets: owned, objects: { listPage } }
    server = await testServer(store, { answerBytesMax: 8 * 1024 * 1024 })
    const stalled = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const client = await rawClient(server?.port ?? 0)
        client.socket.pause()
        client.send(request('GET', '/bucket'))
        return client
      }),
    )
    await pause(500)
    for (const { socket } of stalled) socket.resume()
    const isRefused = (text: string) => /^HTTP\/1\.1 503 [^]*Retry-After: 1/.test(text)
    const isWhole = (text: string) => text.includes('</ListBucketResult>')
    const texts = () => stalled.map((client) => client.received())
    await expect.poll(() => texts().every((text) => isRefused(text) || isWhole(text)), { timeout: 5000 }).toBe(true)
    const refused = texts().filter(isRefused).length
    for (const { socket } of stalled) socket.destroy()
    await pause(50)
    expect(refused).toBeGreaterThan(0)
    const client = await rawClient(server.port)
    client.send(request('GET', '/bucket'))
    await client.until(/<\/ListBucketResult>/)
    client.socket.destroy()
  })
})

describe('the document of a slow answer', () => {
  const document = `<CompleteMultipartUpload>${'<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>'.repeat(400)}</CompleteMultipartUpload>`
  const completion = () =>
    request('POST', '/bucket/key?uploadId=1', { body: document }, ['connection', 'close']) + document

  it('is held until the answer is made, also when its client is gone', async () => {
    let end: () => void = () => undefined
    const complete = async () => {
      await new Promise<void>((resolve) => (end = resolve))
      throw new Error('no matter')
    }
    server = await testServer(
      { buckets: owned, uploads: { complete, head: async () => ({}) } as never },
      { documentBytesMax: 3 * document.length, keepAliveAfterMs: 1, keepAliveEveryMs: 10 },
    )
    const { port } = server
    const answerTo = async () => {
      const client = await rawClient(port)
      client.send(completion())
      return client
    }
    const first = await answerTo()
    await first.until(/^HTTP\/1\.1 200 /)
    first.socket.destroy()
    await pause(50)
    expect(await (await answerTo()).closed()).toMatch(/^HTTP\/1\.1 503 [^]*<Code>SlowDown</)
    end()
    await pause(20)
    const third = await answerTo()
    await third.until(/^HTTP\/1\.1 200 /)
    end()
    await third.closed()
  })
})

describe('a budget for bodies where few files may be open', () => {
  it.each([0, 1, 2, 8, 100, 100_000])('lets each of two clients read one run and write one body: %i files', (files) => {
    const budgets = new Budgets({ bodyBytesMax: bodyBytesFor(files) })
    for (const holder of ['alice', 'bob']) {
      const budget = new RequestBudget(budgets, { onOver: () => undefined }, holder)
      budget.holdBody(runBytes)
      budget.holdBody(bodyBytes)
    }
    expect(budgets.bodies.held).toBe(2 * (runBytes + bodyBytes))
  })
})

describe('bodies of objects on their way', () => {
  const one = 128 * 1024
  const stalled = async (text: string) => {
    const client = await rawClient(server?.port ?? 0)
    client.send(text)
    return client
  }
  const body = 'x'.repeat(100_000)

  it('have at most half of their budget for one client: its next gets SlowDown, another client does not', async () => {
    server = await testServer({ buckets: owned, objects: { put } }, { identities: [alice, bob], bodyBytesMax: 4 * one })
    const upload = (by = alice) => request('PUT', '/bucket/key', { by, body })
    const first = await Promise.all([stalled(upload()), stalled(upload())])
    await pause(50)
    const refused = await stalled(upload())
    expect(await refused.until(/<\/Error>/)).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*<Code>SlowDown</)
    const other = await stalled(upload(bob) + body)
    expect(await other.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 (200|403) /)
    for (const { socket } of first) socket.destroy()
    await pause(50)
    const next = await stalled(upload() + body)
    expect(await next.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /)
    for (const { socket } of [refused, other, next]) socket.destroy()
  })

  it('count while they are not taken, and are let go when they are refused', async () => {
    let open = 0
    const get = async () => {
      open++
      const content = objectOf(10 * one, endless())
      return { ...content, close: async () => void open-- }
    }
    server = await testServer({ buckets: owned, objects: { get } as never }, { bodyBytesMax: 4 * 8 * one })
    const unread = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const client = await stalled(request('GET', '/bucket/key'))
        await client.until(/^HTTP\/1\.1 200 /)
        client.socket.pause()
        return client
      }),
    )
    const refused = await stalled(request('GET', '/bucket/key'))
    expect(await refused.until(/<\/Error>/)).toMatch(/^HTTP\/1\.1 503 [^]*<Code>SlowDown</)
    expect(open).toBe(2)
    for (const { socket } of [...unread, refused]) socket.destroy()
    await expect.poll(() => open).toBe(0)
  })
})

describe('long answers', () => {
  const key = 'k'.repeat(1000)

  it('are refused where there is no room for what was read', async () => {
    const get = async () => ({ ...objectOf(100_000, endless()), buffered: new Uint8Array(100_000) })
    server = await testServer({ buckets: owned, objects: { get } as never }, { bodyBytesMax: 100_000 })
    const client = await rawClient(server.port)
    client.send(request('GET', '/bucket/key'))
    expect(await client.until(/<\/Error>/)).toMatch(/^HTTP\/1\.1 503 [^]*<Code>SlowDown</)
    client.socket.destroy()
  })

  it('are never refused after the work that they report', async () => {
    const body = `<Delete>${`<Object><Key>${key}</Key></Object>`.repeat(50)}</Delete>`
    const deleteMany = async (_bucket: string, targets: readonly { readonly key: string }[]) =>
      targets.map((target) => ({ ...target, result: { deleteMarker: false } }))
    server = await testServer({ buckets: owned, objects: { deleteMany } as never }, { bodyBytesMax: 1000 })
    const client = await rawClient(server.port)
    client.send(request('POST', '/bucket?delete=', { body }, digestOf(body)) + body)
    expect(await client.until(/<\/DeleteResult>/)).toMatch(/^HTTP\/1\.1 200 /)
    client.socket.destroy()
  })
})

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(128 * 1024)
}
