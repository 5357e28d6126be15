import { beforeEach, describe, expect, it } from 'vitest'
import { chunkBytes } from '../encryption/chunk-cipher.ts'
import { ciphers, testKeyring, type TestKeyring } from '../encryption/ciphers.fixture.ts'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { EncryptionRequest } from './types/index.ts'

const secret = 'nobody must be able to read this in a file'
const customerKey = ciphers.random(32)
const otherKey = ciphers.random(32)
const modes: readonly EncryptionRequest[] = [
  { mode: 'AES256' },
  { mode: 'aws:kms', keyName: 'payroll' },
  { mode: 'aws:kms:dsse', keyName: 'payroll' },
  { mode: 'SSE-C', key: customerKey },
]
const named = modes.map((encryption) => [encryption.mode, encryption] as const)
const reading = ({ mode }: EncryptionRequest) => (mode === 'SSE-C' ? { customerKey } : {})

let ports: MemoryPorts
let keyring: TestKeyring
let store: Store

async function open(options: { inlineMax?: number; keyring?: TestKeyring } = {}): Promise<void> {
  store = await openEngine(
    { ...ports, ciphers, keyring: options.keyring ?? keyring },
    { inlineMax: options.inlineMax ?? 64 },
  )
}

beforeEach(async () => {
  ports = memoryPorts()
  keyring = testKeyring('master 1', 'payroll')
  await open()
  await store.buckets.create('box')
})

const bytesOf = async (key: string, options = {}) => (await store.objects.get('box', key, options)).bytes()
const textOf = async (key: string, options = {}) => (await store.objects.get('box', key, options)).text()

/** Everything that is kept: events, rows, blobs. */
function kept(): string {
  const { log, rows } = ports.journal
  const all = [...log, ...[...rows.values()].map(([, value]) => value), ...ports.blobs.bytes.values()]
  return all.map((bytes) => Buffer.from(bytes).toString('latin1')).join('\n')
}

describe.each(named)('an object with %s', (mode, encryption) => {
  it.each([0, 1, 42, 64, 65, chunkBytes, chunkBytes + 1, 1024 * 1024, 3 * 1024 * 1024 + 11])(
    'of %d bytes gives them back, whole and in ranges, and its plain size',
    async (size) => {
      const plain = new Uint8Array(size).map((_, i) => (i * 7) % 253)
      const put = await store.objects.put('box', 'k', plain, { encryption })
      expect(put).toMatchObject({ size, encryption: { mode } })
      expect(Buffer.from(await bytesOf('k', reading(encryption))).equals(plain)).toBe(true)
      expect(await store.objects.head('box', 'k', reading(encryption))).toMatchObject({ size, encryption: { mode } })
      for (const [first, last] of [
        [0, 0],
        [size >> 1, size],
        [size - 1, size - 1],
      ] as const) {
        if (first < 0 || first >= size) continue
        const part = await bytesOf('k', { ...reading(encryption), range: { first, last } })
        expect(Buffer.from(part).equals(plain.subarray(first, last + 1))).toBe(true)
      }
    },
  )

  it.each(['inline', 'blob'] as const)('lies nowhere in the clear: %s', async (place) => {
    await open({ inlineMax: place === 'inline' ? 1000 : 0 })
    await store.objects.put('box', 'k', secret, { encryption })
    expect(kept()).not.toContain(secret.slice(0, 8))
    for (const key of [customerKey, ...keyring.keys.values()]) {
      const bytes = Buffer.from(key)
      for (const form of ['latin1', 'base64', 'hex'] as const) expect(kept()).not.toContain(bytes.toString(form))
    }
    expect(await textOf('k', reading(encryption))).toBe(secret)
  })

  it('has checksums of the plain bytes, and an ETag that is their MD5 only where that is no secret', async () => {
    const plain = await store.objects.put('box', 'plain', secret, { checksum: { algorithm: 'SHA256' } })
    const put = await store.objects.put('box', 'k', secret, { encryption, checksum: { algorithm: 'SHA256' } })
    expect(put.checksum).toEqual(plain.checksum)
    expect(put.etag === plain.etag).toBe(mode === 'AES256')
    expect(put.etag).toMatch(/^[0-9a-f]{32}$/)
  })

  it('passes verify and scrub without any key', async () => {
    await store.objects.put('box', 'a', secret, { encryption })
    await store.objects.put('box', 'b', new Uint8Array(200_000), { encryption })
    keyring.keys.clear()
    expect((await store.verify()).divergences).toEqual([])
    expect((await store.scrub()).divergences).toEqual([])
  })

  it('can be read as of the past after it was deleted and the store was opened again', async () => {
    const { seq } = await store.objects.put('box', 'k', secret, { encryption })
    await store.close()
    ports = { ...ports }
    store = await openEngine({ ...ports, ciphers, keyring }, { retentionMs: 1e12 })
    await store.objects.delete('box', 'k')
    const past = await store.at(seq)
    expect(await (await past.objects.get('box', 'k', reading(encryption))).text()).toBe(secret)
  })

  it('is assembled from parts that are each sealed by themselves', async () => {
    const upload = await store.uploads.create('box', 'k', { encryption })
    expect(upload).toMatchObject({ encryption: { mode } })
    const sizes = [5 * 1024 * 1024 + 3, 0, 70_000]
    const bodies = sizes.map((size, n) => new Uint8Array(size).fill(n + 1))
    const parts = []
    for (const [i, body] of bodies.entries()) {
      const part = await store.uploads.uploadPart(upload, i + 1, body, reading(encryption))
      expect(part).toMatchObject({ encryption: { mode }, size: body.length })
      parts.push({ partNumber: part.partNumber, etag: part.etag })
    }
    const done = await store.uploads.complete(upload, parts, { partSizeMin: 0, ...reading(encryption) })
    // Nor is a key there in the shape that JSON gives bytes. Less of it would be in random bytes now and then.
    expect(kept()).not.toMatch(/"0":\d+,"1":\d+/)
    expect(kept()).not.toContain(Buffer.from(customerKey).toString('base64'))
    expect(done).toMatchObject({ encryption: { mode } })
    const whole = Buffer.concat(bodies)
    expect(Buffer.from(await bytesOf('k', reading(encryption))).equals(whole)).toBe(true)
    const edge = sizes[0] as number
    const across = await bytesOf('k', { ...reading(encryption), range: { first: edge - 2, last: edge + 1 } })
    expect([...across]).toEqual([1, 1, 3, 3])
    const third = await bytesOf('k', { ...reading(encryption), partNumber: 3 })
    expect(Buffer.from(third).equals(bodies[2] as Uint8Array)).toBe(true)
  })

  it('shows in its history how it is encrypted', async () => {
    await store.objects.put('box', 'k', secret, { encryption })
    for await (const event of store.history('box', 'k')) {
      expect(event.data).toMatchObject({ encryption: { mode }, content: { sealed: { v: 1, mode } } })
    }
  })
})

describe('keys of the store', () => {
  it('has one generation however many need the first at once', async () => {
    const puts = ['a', 'b', 'c'].map((key) => store.objects.put('box', key, key, { encryption: { mode: 'AES256' } }))
    await Promise.all(puts)
    expect(await store.keys.list()).toEqual([{ generation: 1, master: 'master 1' }])
    for (const key of ['a', 'b', 'c']) expect(await textOf(key)).toBe(key)
  })

  it('are wrapped in another master key without a content being touched, and the old master is not needed any more', async () => {
    await store.objects.put('box', 'old', secret, { encryption: { mode: 'AES256' } })
    const blobs = new Map(ports.blobs.bytes)
    keyring.keys.set('master 2', ciphers.random(32))
    keyring.master = 'master 2'
    expect(await store.keys.rotate()).toEqual([
      { generation: 1, master: 'master 2' },
      { generation: 2, master: 'master 2' },
    ])
    expect(ports.blobs.bytes).toEqual(blobs)
    await store.objects.put('box', 'new', secret, { encryption: { mode: 'AES256' } })
    keyring.keys.delete('master 1')
    await open()
    for (const key of ['old', 'new']) expect(await textOf(key)).toBe(secret)
    expect((await store.verify()).divergences).toEqual([])
    const contents = []
    for await (const { type, data } of store.log()) if (type === 'VersionAdded') contents.push(data.content)
    expect(contents).toMatchObject([{ sealed: { key: '1' } }, { sealed: { key: '2' } }])
  })

  it('are changed all or none when a master key is missing', async () => {
    await store.objects.put('box', 'k', secret, { encryption: { mode: 'AES256' } })
    const before = store.seq
    const other = testKeyring('master 9')
    await open({ keyring: other })
    expect(await codeOf(store.keys.rotate())).toBe('KeyUnavailable')
    expect(store.seq).toBe(before)
    expect(await codeOf(store.objects.get('box', 'k'))).toBe('KeyUnavailable')
    expect(await codeOf(store.objects.put('box', 'k', secret, { encryption: { mode: 'AES256' } }))).toBe(
      'KeyUnavailable',
    )
  })

  it('are refused with NotImplemented without a master key', async () => {
    keyring.master = undefined
    expect(await codeOf(store.objects.put('box', 'k', secret, { encryption: { mode: 'AES256' } }))).toBe(
      'NotImplemented',
    )
    await store.objects.put('box', 'k', secret, { encryption: { mode: 'SSE-C', key: customerKey } })
    store = await openEngine(ports)
    for (const [, encryption] of named) {
      const code = await codeOf(store.objects.put('box', 'k', secret, { encryption }))
      expect(code).toBe(encryption.mode.startsWith('aws:') ? 'KMS.NotFoundException' : 'NotImplemented')
    }
    await store.objects.put('box', 'plain', secret)
    expect(await textOf('plain')).toBe(secret)
  })
})

describe('keys by name', () => {
  it('are refused when the keyring has none of the name, to write and to read', async () => {
    const put = (keyName?: string) =>
      store.objects.put('box', 'k', secret, { encryption: { mode: 'aws:kms', ...(keyName && { keyName }) } })
    expect(await codeOf(put('nobody'))).toBe('KMS.NotFoundException')
    await put('payroll')
    const [key] = [keyring.keys.get('payroll') as Uint8Array, keyring.keys.delete('payroll')]
    expect(await codeOf(store.objects.get('box', 'k'))).toBe('KMS.NotFoundException')
    keyring.keys.set('payroll', ciphers.random(32))
    expect(await codeOf(store.objects.get('box', 'k'))).toBe('KeyUnavailable')
    keyring.keys.set('payroll', key)
    expect(await textOf('k')).toBe(secret)
  })

  it.each(['aws:kms', 'aws:kms:dsse'] as const)(
    'have a default of the store, made when it is first needed: %s',
    async (mode) => {
      expect(await store.keys.list()).toEqual([])
      const put = await store.objects.put('box', 'k', secret, { encryption: { mode } })
      expect(put.encryption).toEqual({ mode, keyName: 'aws/s3' })
      for (const keyName of [
        'aws/s3',
        'alias/aws/s3',
        'arn:aws:kms:eu:1234:alias/aws/s3',
        'arn:aws:kms:::alias/aws/s3',
      ]) {
        const same = await store.objects.put('box', 'same', secret, { encryption: { mode, keyName } })
        expect(same.encryption).toEqual(put.encryption)
      }
      expect(await store.keys.list()).toHaveLength(1)
      await store.keys.rotate()
      expect(await textOf('k')).toBe(secret)
      keyring.keys.set('aws/s3', ciphers.random(32))
      await store.objects.put('box', 'named', secret, { encryption: { mode } })
      store = await openEngine({ ...ports, ciphers, keyring })
      expect([await textOf('k'), await textOf('named')]).toEqual([secret, secret])
      keyring.keys.delete('aws/s3')
      expect(await textOf('k')).toBe(secret)
      expect(await codeOf(store.objects.get('box', 'named'))).toBe('KMS.NotFoundException')
    },
  )

  it('have no default without a master key', async () => {
    keyring.master = undefined
    expect(await codeOf(store.objects.put('box', 'k', secret, { encryption: { mode: 'aws:kms' } }))).toBe(
      'KMS.NotFoundException',
    )
  })

  it('has a default where the keyring has one of that name', async () => {
    keyring.keys.set('aws/s3', ciphers.random(32))
    const put = await store.objects.put('box', 'k', secret, { encryption: { mode: 'aws:kms', bucketKey: true } })
    expect(put.encryption).toEqual({ mode: 'aws:kms', keyName: 'aws/s3', bucketKey: true })
  })
})

describe('keys of clients', () => {
  const encryption = { mode: 'SSE-C', key: customerKey } as const

  it.each([0, 10, 100])('must come with every read, and be the right one: %d bytes', async (size) => {
    await store.objects.put('box', 'k', new Uint8Array(size), { encryption })
    expect(await store.objects.head('box', 'k')).toMatchObject({ size, encryption: { mode: 'SSE-C' } })
    for (const read of [store.objects.get, store.objects.head, store.objects.attributes]) {
      expect(await codeOf(read('box', 'k', { needsKey: true }))).toBe('InvalidRequest')
      expect(await codeOf(read('box', 'k', { customerKey: otherKey }))).toBe('AccessDenied')
      expect(await codeOf(read('box', 'k', { customerKey: otherKey.subarray(1) }))).toBe('InvalidArgument')
    }
  })

  it('are refused where none is needed', async () => {
    await store.objects.put('box', 'k', secret)
    expect(await codeOf(store.objects.get('box', 'k', { customerKey }))).toBe('InvalidRequest')
    const upload = await store.uploads.create('box', 'k')
    expect(await codeOf(store.uploads.uploadPart(upload, 1, 'a', { customerKey }))).toBe('InvalidRequest')
    expect(await codeOf(store.uploads.complete(upload, [], { customerKey }))).toBe('InvalidRequest')
  })

  it('are the same for all parts of an upload', async () => {
    const upload = await store.uploads.create('box', 'k', { encryption })
    expect(await codeOf(store.uploads.uploadPart(upload, 1, 'a'))).toBe('InvalidRequest')
    expect(await codeOf(store.uploads.uploadPart(upload, 1, 'a', { customerKey: otherKey }))).toBe('InvalidRequest')
    const { etag } = await store.uploads.uploadPart(upload, 1, 'a', { customerKey })
    const parts = [{ partNumber: 1, etag }]
    expect(await codeOf(store.uploads.complete(upload, parts, { customerKey: otherKey }))).toBe('InvalidRequest')
    await store.uploads.complete(upload, parts)
    expect(await textOf('k', { customerKey })).toBe('a')
  })

  it('have 32 bytes', async () => {
    const short = store.objects.put('box', 'k', secret, { encryption: { mode: 'SSE-C', key: customerKey.subarray(1) } })
    expect(await codeOf(short)).toBe('InvalidArgument')
  })
})

describe('what was tampered with', () => {
  it('is refused though all checksums were made anew: a blob under another content', async () => {
    const { blobs } = ports
    for (const key of ['a', 'b'])
      await store.objects.put('box', key, new Uint8Array(100), { encryption: { mode: 'AES256' } })
    const [a, b] = [...blobs.bytes.keys()] as [string, string]
    blobs.bytes.set(a, blobs.bytes.get(b) as Uint8Array)
    expect(await codeOf(store.objects.get('box', 'a'))).toBe('BlobCorrupt')
  })
})

describe('copies', () => {
  const plain = new Uint8Array(200_000).map((_, i) => i % 241)
  const wanted: readonly (EncryptionRequest | undefined)[] = [undefined, ...modes]
  const pairs = wanted.flatMap((from) =>
    wanted.map((to) => [from?.mode ?? 'plain', to?.mode ?? 'plain', from, to] as const),
  )
  const sourceKey = (of?: EncryptionRequest) => (of?.mode === 'SSE-C' ? { customerKey } : {})

  it.each(pairs)(
    'from %s to %s have the same bytes, and share them only when both are the same',
    async (_from, _to, from, to) => {
      await store.objects.put('box', 'source', plain, {
        ...(from && { encryption: from }),
        checksum: { algorithm: 'SHA1' },
      })
      const blobs = ports.blobs.bytes.size
      const source = { bucket: 'box', key: 'source', ...sourceKey(from) }
      const copy = await store.objects.copy(source, 'box', 'copy', to && { encryption: to })
      expect(copy.encryption?.mode).toBe(to?.mode)
      expect(ports.blobs.bytes.size).toBe(from === to ? blobs : blobs + 1)
      const object = await store.objects.get('box', 'copy', sourceKey(to))
      expect(Buffer.from(await object.bytes()).equals(plain)).toBe(true)
      expect(object.checksum?.algorithm).toBe('SHA1')
      await store.objects.delete('box', 'source')
      expect(Buffer.from(await bytesOf('copy', sourceKey(to))).equals(plain)).toBe(true)
      expect((await store.verify()).divergences).toEqual([])
    },
  )

  it('onto the object itself change its encryption, and bring it to the newest generation', async () => {
    await store.objects.put('box', 'k', plain)
    const [source, encryption] = [{ bucket: 'box', key: 'k' }, { mode: 'AES256' }] as const
    expect(await codeOf(store.objects.copy(source, 'box', 'k'))).toBe('InvalidRequest')
    await store.objects.copy(source, 'box', 'k', { encryption })
    const [before] = [...ports.blobs.bytes.keys()].slice(-1)
    await store.objects.copy(source, 'box', 'k', { encryption })
    expect([...ports.blobs.bytes.keys()].at(-1)).toBe(before)
    await store.keys.rotate()
    await store.objects.copy(source, 'box', 'k', { encryption })
    expect([...ports.blobs.bytes.keys()].at(-1)).not.toBe(before)
    expect(Buffer.from(await bytesOf('k')).equals(plain)).toBe(true)
  })

  it('need the key of their source', async () => {
    await store.objects.put('box', 'k', plain, { encryption: { mode: 'SSE-C', key: customerKey } })
    const source = { bucket: 'box', key: 'k' }
    expect(await codeOf(store.objects.copy(source, 'box', 'copy'))).toBe('InvalidRequest')
    expect(await codeOf(store.objects.copy({ ...source, customerKey: otherKey }, 'box', 'copy'))).toBe('AccessDenied')
    const upload = await store.uploads.create('box', 'part')
    expect(await codeOf(store.uploads.copyPart(upload, 1, source))).toBe('InvalidRequest')
    const part = await store.uploads.copyPart(upload, 1, { ...source, customerKey, range: { start: 5, end: 70_000 } })
    await store.uploads.complete(upload, [part])
    expect(Buffer.from(await bytesOf('part')).equals(plain.subarray(5, 70_000))).toBe(true)
  })

  it('of an assembled object become one content when they are encrypted otherwise', async () => {
    const upload = await store.uploads.create('box', 'k', { encryption: { mode: 'AES256' }, checksumAlgorithm: 'SHA1' })
    const one = await store.uploads.uploadPart(upload, 1, plain)
    const two = await store.uploads.uploadPart(upload, 2, 'end')
    await store.uploads.complete(upload, [one, two], { partSizeMin: 0 })
    const shared = await store.objects.copy({ bucket: 'box', key: 'k' }, 'box', 'same', {
      encryption: { mode: 'AES256' },
    })
    expect(shared.etag).toMatch(/-2$/)
    const encryption = { mode: 'aws:kms', keyName: 'payroll' } as const
    const copy = await store.objects.copy({ bucket: 'box', key: 'k' }, 'box', 'other', { encryption })
    expect(copy.checksum).toMatchObject({ algorithm: 'SHA1', type: 'FULL_OBJECT' })
    for (const key of ['same', 'other']) expect((await bytesOf(key)).length).toBe(plain.length + 3)
  })
})

describe('a bucket with default encryption', () => {
  it('encrypts objects, copies and uploads that request no other encryption', async () => {
    await store.buckets.settings.put('box', 'Encryption', { mode: 'aws:kms', keyName: 'payroll', bucketKey: true })
    const expected = { encryption: { mode: 'aws:kms', keyName: 'payroll', bucketKey: true } }
    expect(await store.objects.put('box', 'a', secret)).toMatchObject(expected)
    expect(await store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'b')).toMatchObject(expected)
    expect(await store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'a')).toMatchObject(expected)
    const upload = await store.uploads.create('box', 'c')
    expect(upload).toMatchObject(expected)
    await store.buckets.settings.remove('box', 'Encryption')
    const part = await store.uploads.uploadPart(upload, 1, secret)
    expect(part).toMatchObject(expected)
    expect(await store.uploads.complete(upload, [part])).toMatchObject(expected)
    for (const key of ['a', 'b', 'c']) expect(await textOf(key)).toBe(secret)
    expect(kept()).not.toContain(secret.slice(0, 8))
    const own = await store.objects.put('box', 'a', secret, { encryption: { mode: 'AES256' } })
    expect(own.encryption).toEqual({ mode: 'AES256' })
    expect((await store.objects.put('box', 'a', secret)).encryption).toBeUndefined()
  })
})
