import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DigestAlgorithm } from '../ports/index.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store
let made: DigestAlgorithm[]

beforeEach(async () => {
  const plain = memoryPorts()
  made = []
  const create = (algorithm: DigestAlgorithm) => {
    made.push(algorithm)
    return plain.hashing.create(algorithm)
  }
  ports = { ...plain, hashing: { ...plain.hashing, create } }
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

const hex = (text: string) => createHash('sha256').update(text).digest('hex')

describe.each([10, 100])('%d bytes that must have a SHA-256', (size) => {
  const body = 'x'.repeat(size)
  const sha256 = hex(body)

  it('are taken when they have it, however it is spelled, and keep no checksum for that', async () => {
    for (const spelled of [sha256, sha256.toUpperCase()]) {
      expect(await store.objects.put('box', 'k', body, { sha256: spelled })).not.toHaveProperty('checksum')
    }
  })

  it('are refused when they are others, before anything is committed', async () => {
    const put = store.objects.put('box', 'k', `${body}.`, { sha256, contentMD5: 'wrong as well' })
    await expect(put).rejects.toMatchObject({
      code: 'BadDigest',
      details: { ExpectedSHA256: sha256, CalculatedSHA256: hex(`${body}.`) },
    })
    const upload = await store.uploads.create('box', 'k')
    expect(await codeOf(store.uploads.uploadPart(upload, 1, `${body}.`, { sha256 }))).toBe('BadDigest')
    expect(await codeOf(store.objects.head('box', 'k'))).toBe('NoSuchKey')
    expect((await store.uploads.listPartsPage(upload)).entries).toEqual([])
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('are refused when nothing could have it', async () => {
    for (const wrong of ['', 'x', sha256.slice(1), `${sha256}0`, Buffer.from(sha256, 'hex').toString('base64')]) {
      expect(await codeOf(store.objects.put('box', 'k', body, { sha256: wrong }))).toBe('InvalidDigest')
    }
  })

  it('are hashed once by each algorithm, however many checks need it', async () => {
    await store.objects.put('box', 'k', body, { sha256, checksum: { algorithm: 'SHA256' } })
    expect(made.toSorted()).toEqual(['MD5', 'SHA256'])
    made.length = 0
    await store.objects.put('box', 'k', body, { checksum: { algorithm: 'CRC32' } })
    expect(made).toEqual(['MD5'])
  })
})

describe('a checksum that a function gives', () => {
  it.each([
    ['a promise that rejects', () => Promise.reject(new Error('too late'))],
    ['a number', () => 1],
    ['an object', () => ({})],
  ])('is text or nothing: %s is refused, without harm to other writes', async (_, expected) => {
    const checksum = { algorithm: 'CRC32', expected: expected as never } as const
    expect(await codeOf(store.objects.put('box', 'k', 'v', { checksum }))).toBe('InvalidArgument')
    await new Promise(setImmediate)
    await store.objects.put('box', 'k', 'v')
  })
})
