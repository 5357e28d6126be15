import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { begin, send, textOf } from './send.fixture.ts'
import { startS3 } from './start-s3.ts'
import type { TestS3 } from './test-s3.ts'

let s3: TestS3

afterEach(() => s3.stop())

const put = (key: string) => send(s3, 'PUT', `/photos/${key}`, { body: key })
const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status)
const lost = { code: 'ECONNRESET' }

describe.each([true, false])('a fault (listen: %s)', (listen) => {
  beforeEach(async () => {
    s3 = await startS3({ listen, buckets: ['photos', 'films'] })
  })

  it('is an error of S3, with the id of its request, and the request has no effect', async () => {
    const fault = s3.faults.add({ when: { operation: 'PutObject' }, fault: { kind: 'error', code: 'SlowDown' } })
    const { status, headers, text } = await put('a')
    expect(status).toBe(503)
    expect(text).toContain('<Code>SlowDown</Code><Message>Please reduce your request rate.</Message>')
    expect(text).toContain(`<RequestId>${String(headers['x-amz-request-id'])}</RequestId>`)
    expect((await send(s3, 'GET', '/photos/a')).status).toBe(404)
    fault.remove()
    fault.remove()
    expect((await put('a')).status).toBe(200)
    expect(fault.count).toBe(1)
  })

  it('is a status without a document, as proxies answer', async () => {
    s3.faults.add({ fault: { kind: 'status', status: 502 } })
    expect(await put('a')).toMatchObject({ status: 502, text: '' })
    expect(await send(s3, 'HEAD', '/photos')).toMatchObject({ status: 502, text: '' })
  })

  it('is a delay, which ends early when the client goes away', async () => {
    s3.faults.add({ when: { key: 'slow' }, fault: { kind: 'slow', ms: 120 } })
    const began = performance.now()
    expect((await put('fast')).status).toBe(200)
    expect((await put('slow')).status).toBe(200)
    expect(performance.now() - began).toBeGreaterThan(115)
    s3.faults.clear()
    s3.faults.add({ fault: { kind: 'slow', ms: 3_600_000 } })
    const leaving = new AbortController()
    const asleep = begin(s3, 'GET', '/photos', { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 20)
    await expect(asleep).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is a lost connection, before the request has an effect or after', async () => {
    const before = s3.faults.add({ fault: { kind: 'disconnect' } })
    await expect(put('before')).rejects.toMatchObject(lost)
    before.remove()
    s3.faults.add({ fault: { kind: 'disconnect', afterBytes: 0 }, times: 1 })
    await expect(put('after')).rejects.toMatchObject(lost)
    expect((await send(s3, 'GET', '/photos')).text.match(/<Key>.*?</g)).toEqual(['<Key>after<'])
  })

  it('is a connection that is lost in an answer', async () => {
    await s3.store.objects.put('photos', 'long', Buffer.alloc(300_000, 'x'))
    const cut = s3.faults.add({ when: { method: 'GET' }, fault: { kind: 'disconnect', afterBytes: 1000 } })
    const received: Buffer[] = []
    const answer = await begin(s3, 'GET', '/photos/long')
    expect(answer.headers['content-length']).toBe('300000')
    const reading = (async () => {
      for await (const chunk of answer) received.push(chunk as Buffer)
    })()
    await expect(reading).rejects.toMatchObject(lost)
    expect(Buffer.concat(received)).toHaveLength(1000)
    // An answer that is shorter does not arrive whole either.
    await put('short')
    await expect(begin(s3, 'GET', '/photos/short').then(textOf)).rejects.toMatchObject(lost)
    await expect(begin(s3, 'GET', '/photos').then(textOf)).rejects.toMatchObject(lost)
    expect(cut.count).toBe(3)
  })

  it('meets answers without a body too', async () => {
    await put('a')
    s3.faults.add({ when: { method: 'HEAD' }, fault: { kind: 'error', code: 'ServiceUnavailable' }, times: 1 })
    s3.faults.add({ when: { method: 'HEAD' }, fault: { kind: 'disconnect', afterBytes: 10 }, times: 1 })
    expect(await send(s3, 'HEAD', '/photos/a')).toMatchObject({ status: 503, text: '' })
    await expect(send(s3, 'HEAD', '/photos/a')).rejects.toMatchObject(lost)
    expect(await send(s3, 'HEAD', '/photos/a')).toMatchObject({ status: 200 })
  })
})

describe('faults', () => {
  beforeEach(async () => {
    s3 = await startS3({ listen: false, buckets: ['photos', 'films'] })
  })

  it('meet the requests that have all that is given', async () => {
    const fault = { kind: 'status', status: 599 } as const
    s3.faults.add({ when: { bucket: 'photos', key: /^cat/g, method: 'PUT' }, fault })
    const others = [send(s3, 'PUT', '/films/cat', { body: 'a' }), put('dog'), send(s3, 'GET', '/photos/cat')]
    expect(statuses([await put('cat.png'), await put('cats'), ...(await Promise.all(others))])).toEqual([
      599, 599, 200, 200, 404,
    ])
  })

  it('meet one of several requests, or so many', async () => {
    const fault = { kind: 'status', status: 599 } as const
    s3.faults.add({ when: { nth: 3 }, fault })
    expect(statuses([await put('1'), await put('2'), await put('3'), await put('4')])).toEqual([200, 200, 599, 200])
    const twice = s3.faults.add({ fault, times: 2 })
    expect(statuses([await put('1'), await put('2'), await put('3')])).toEqual([599, 599, 200])
    expect(twice.count).toBe(2)
  })

  it('are tried in the order of their addition, and a request meets one', async () => {
    const first = s3.faults.add({ fault: { kind: 'status', status: 501 }, times: 1 })
    const second = s3.faults.add({ fault: { kind: 'status', status: 502 } })
    expect(statuses([await put('1'), await put('2')])).toEqual([501, 502])
    expect([first.count, second.count]).toEqual([1, 1])
  })

  it('are gone after a reset, and stay with the server that has them', async () => {
    s3.faults.add({ fault: { kind: 'status', status: 599 } })
    const fork = await s3.fork()
    expect((await send(fork, 'GET', '/photos')).status).toBe(200)
    await fork.stop()
    await s3.reset()
    expect((await send(s3, 'GET', '/photos')).status).toBe(200)
  })

  it('do not hold up a reset or a stop', async () => {
    const began = performance.now()
    const asleep = () => s3.faults.add({ fault: { kind: 'slow', ms: 3_600_000 } })
    const one = asleep()
    const first = put('a')
    await expect.poll(() => one.count).toBe(1)
    await s3.reset()
    expect(await first).toMatchObject({ status: 409 })
    const two = asleep()
    const second = expect(put('a')).rejects.toMatchObject(lost)
    await expect.poll(() => two.count).toBe(1)
    await s3.stop()
    await second
    expect(performance.now() - began).toBeLessThan(60_000)
  })

  it.each<[unknown, string]>([
    [undefined, 'rule'],
    [{}, 'rule.fault'],
    [{ fault: { kind: 'fire' } }, 'rule.fault.kind'],
    [{ fault: { kind: 'slow' } }, 'rule.fault.ms'],
    [{ fault: { kind: 'slow', ms: -1 } }, 'rule.fault.ms'],
    [{ fault: { kind: 'error', code: 'Slowdown' } }, 'rule.fault.code'],
    [{ fault: { kind: 'error', code: 'JournalFailed' } }, 'rule.fault.code'],
    [{ fault: { kind: 'status', status: 200 } }, 'rule.fault.status'],
    [{ fault: { kind: 'disconnect', afterBytes: 0.5 } }, 'rule.fault.afterBytes'],
    [{ fault: { kind: 'disconnect' }, times: 0 }, 'rule.times'],
    [{ fault: { kind: 'disconnect' }, when: { operation: 'putObject' } }, 'rule.when.operation'],
    [{ fault: { kind: 'disconnect' }, when: { key: 5 } }, 'rule.when.key'],
    [{ fault: { kind: 'disconnect' }, when: { nth: 0 } }, 'rule.when.nth'],
    [{ fault: { kind: 'disconnect' }, when: { prefix: 'a' } }, 'rule.when'],
  ])('refuse wrong rules: %j', (rule, ArgumentName) => {
    const refused = expect.objectContaining({ code: 'InvalidArgument', details: { ArgumentName } })
    expect(() => s3.faults.add(rule as never)).toThrow(refused)
  })
})
