/** What a blob store in a bucket does when keys expire under it, and while its server refuses everything or is slow. */
import type { BlobStore, ByteSource } from '@varve/core'
import { openS3Blobs, type S3BlobsOptions } from '@varve/adapters/s3'
import { createIdentity, parsePolicy } from 'varve/http'
import { startS3, type TestS3 } from 'varve/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf, id, listed, readAll } from './support/bytes.ts'
import { freshPrefix, serverOf } from './support/bucket.ts'
import { type ExpiringKeys, expiringKeys } from './support/expiring-keys.ts'

const partBytes = 5 * 1024 * 1024
const long = 2 * partBytes + 1234
const keyOf = (name: string) => ({ accessKeyId: name, secretAccessKey: `the-secret-of-${name}` })
const names = ['first', 'second', 'third']

let s3: TestS3
let keys: ExpiringKeys
const opened: BlobStore[] = []

beforeAll(async () => {
  const Statement = [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }]
  const policy = parsePolicy({ Version: '2012-10-17', Statement })
  const identities = names.map((name) => createIdentity({ name, ...keyOf(name), policy }))
  s3 = await startS3({ buckets: ['blobs'], identities })
  keys = await expiringKeys(s3.port as number)
})
afterEach(async () => {
  s3.faults.clear()
  keys.expired.clear()
  await Promise.all(opened.splice(0).map((blobs) => blobs.close().catch(() => undefined)))
})
afterAll(async () => {
  await keys.stop()
  await s3.stop()
})

async function open(options: Partial<S3BlobsOptions> = {}): Promise<BlobStore> {
  const all = { ...serverOf(s3), credentials: keyOf('first'), prefix: freshPrefix(), partBytes, ...options }
  const blobs = await openS3Blobs(all)
  opened.push(blobs)
  return blobs
}

async function* chunks(size: number, between: (at: number) => void = () => undefined): ByteSource {
  const bytes = bytesOf(size)
  for (let at = 0; at < size; at += 1024 * 1024) {
    between(at)
    yield bytes.subarray(at, at + 1024 * 1024)
  }
}

describe('keys that expire', () => {
  it('under a write, a read and a listing are replaced by those that the function gives then', async () => {
    let given = 0
    const credentials = async () => keyOf(names[given++] ?? '')
    const blobs = await open({ endpoint: keys.url, credentials, connections: 8 })
    const size = await blobs.write(
      id(1),
      chunks(long, (at) => {
        if (at > partBytes) keys.expired.add('first')
      }),
    )
    expect([size, given]).toEqual([long, 2])
    const handle = await blobs.open(id(1))
    keys.expired.add('second')
    const before = keys.refused
    const bytes = [0, 1, 2, 3].map(() => new Uint8Array(1000))
    await Promise.all(bytes.map((into, n) => handle.read(into, n * 2_000_000)))
    for (const [n, into] of bytes.entries())
      expect(Buffer.compare(into, bytesOf(long).subarray(n * 2_000_000, n * 2_000_000 + 1000))).toBe(0)
    // The function is called once for all requests that meet it together.
    expect(given).toBe(3)
    expect(keys.refused - before).toBeLessThanOrEqual(4)
    expect(await listed(blobs)).toEqual([id(1)])
  })

  it('and are the only ones are an error with a code, for the witness too, until they are valid again', async () => {
    const blobs = await openS3Blobs({
      ...serverOf(s3),
      endpoint: keys.url,
      credentials: keyOf('first'),
      prefix: freshPrefix(),
    })
    opened.push(blobs)
    await blobs.write(id(1), chunks(100))
    keys.expired.add('first')
    const failed = { code: 'BlobFailed', details: { kind: 'ExpiredToken' } }
    await expect(blobs.write(id(2), chunks(100))).rejects.toMatchObject(failed)
    await expect(blobs.write(id(3), chunks(long))).rejects.toMatchObject(failed)
    await expect(listed(blobs)).rejects.toMatchObject(failed)
    await expect(blobs.delete([id(1)])).rejects.toMatchObject(failed)
    await expect(blobs.witness.read()).rejects.toMatchObject(failed)
    const before = keys.refused
    await expect(blobs.witness.read()).rejects.toMatchObject(failed)
    expect(keys.refused - before).toBe(2)
    keys.expired.clear()
    expect((await readAll(blobs, id(1))).length).toBe(100)
    expect(await listed(blobs)).toEqual([id(1)])
  })
})

describe('a storm of refusals', () => {
  it('meets a bounded number of requests, and calls with a code; when it ends, everything works', async () => {
    const blobs = await open({ retries: 3 })
    await blobs.write(id(0), chunks(100))
    const calls = 60
    const storm = s3.faults.add({ fault: { kind: 'error', code: 'SlowDown' } })
    const ended = await Promise.allSettled(
      Array.from({ length: calls }, (_, n) => (n % 2 === 0 ? listed(blobs) : blobs.write(id(n), chunks(100)))),
    )
    const failed = { code: 'BlobFailed', details: { kind: 'SlowDown', status: 503 } }
    expect(ended).toMatchObject(ended.map(() => ({ status: 'rejected', reason: failed })))
    // A write that failed also removes what it may have left. All together repeat a hundred times.
    expect(storm.count).toBeGreaterThan(calls)
    expect(storm.count).toBeLessThanOrEqual(calls + calls / 2 + 100)
    // With no repetition left, a call costs one request.
    const before = storm.count
    await expect(listed(blobs)).rejects.toMatchObject(failed)
    expect(storm.count - before).toBe(1)
    storm.remove()
    for (let n = 1; n <= 15; n++) await blobs.write(id(1000 + n), chunks(100))
    // Calls that succeeded have earned a repetition.
    s3.faults.add({ fault: { kind: 'error', code: 'SlowDown' }, times: 1 })
    expect(await listed(blobs)).toEqual([id(0), ...Array.from({ length: 15 }, (_, n) => id(1001 + n))])
  })
})

describe('a server that is slow', () => {
  it('ends each call in time, with a code', async () => {
    const blobs = await open({ timeoutMs: 150, retries: 1 })
    await blobs.write(id(1), chunks(100))
    const handle = await blobs.open(id(1))
    s3.faults.add({ fault: { kind: 'slow', ms: 60_000 } })
    const failed = { code: 'BlobFailed', details: { kind: 'timeout' } }
    const start = performance.now()
    const calls = [
      handle.read(new Uint8Array(10), 0),
      blobs.open(id(1)),
      blobs.write(id(2), chunks(100)),
      blobs.write(id(3), chunks(partBytes + 1)),
      blobs.delete([id(4)]),
      listed(blobs),
    ]
    const ended = await Promise.allSettled(calls)
    expect(ended).toMatchObject(ended.map(() => ({ status: 'rejected', reason: failed })))
    expect(performance.now() - start).toBeLessThan(20_000)
    s3.faults.clear()
    await handle.close()
    expect((await readAll(blobs, id(1))).length).toBe(100)
  })
})
