import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import type { ByteSource, Keyring } from '../ports/index.ts'
import { decryptedReplica } from './encrypted-replica.ts'
import { EncryptedFiles } from './encrypted-files.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaCipher } from './replica-cipher.ts'
import { type ReplicaPorts, ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { Replicator } from './replicator.ts'
import { restoreReplica } from './restore-replica.ts'
import { verifyReplica } from './verify-replica.ts'

const cipher = new ReplicaCipher({ ciphers, hashing }, ciphers.random(32))

async function* once(bytes: Uint8Array): ByteSource {
  yield bytes
}

const sample = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255)

describe('a file of an encrypted replica', () => {
  const name = 'log/0/0000000000000001-00000001'
  let replica: MemoryReplica
  let files: EncryptedFiles

  beforeEach(() => {
    replica = memoryReplica()
    files = new EncryptedFiles(replica.files, cipher)
  })

  const stored = () => replica.files.stored.get(name) as Uint8Array

  it('has the size of its plain bytes, and any range of them', async () => {
    const bytes = sample(200_000)
    await files.create(name, once(bytes))
    const listed = []
    for await (const file of files.list('log/')) listed.push(file)
    expect(listed).toEqual([{ name, size: 200_000 }])
    for (const [start, end] of [
      [199_984, 200_000],
      [0, 1],
      [65_535, 65_537],
      [65_536, 131_072],
      [0, 200_000],
    ] as const)
      expect(await files.read(name, { start, end })).toEqual(bytes.slice(start, end))
  })

  it('shows nothing of its bytes, and is another one each time', async () => {
    const text = new TextEncoder().encode('the name of a customer')
    await files.create(name, once(text))
    const first = Uint8Array.from(stored())
    await files.delete([name])
    await files.create(name, once(text))
    expect(Buffer.from(stored()).includes('customer')).toBe(false)
    expect(Buffer.from(stored()).equals(first)).toBe(false)
    expect(await files.read(name)).toEqual(text)
  })

  it.each([
    ['a flipped bit', (bytes: Uint8Array) => bytes.map((byte, i) => (i === 70_000 ? byte ^ 1 : byte))],
    ['a missing chunk', (bytes: Uint8Array) => Buffer.concat([bytes.subarray(0, 65_552), bytes.subarray(-16)])],
    ['a missing end', (bytes: Uint8Array) => bytes.subarray(0, -1)],
    ['nothing', () => new Uint8Array(0)],
    ['another salt', (bytes: Uint8Array) => Buffer.concat([bytes.subarray(0, -16), new Uint8Array(16)])],
  ])('is damaged with %s', async (_what, change) => {
    await files.create(name, once(sample(150_000)))
    replica.files.stored.set(name, Uint8Array.from(change(stored())))
    await expect(files.read(name)).rejects.toMatchObject({ code: 'ReplicaCorrupt', details: { file: name } })
  })

  it('does not take the place of another', async () => {
    const other = 'log/0/0000000000000002-00000001'
    await files.create(name, once(sample(100)))
    replica.files.stored.set(other, stored())
    await expect(files.read(other)).rejects.toMatchObject({ code: 'ReplicaCorrupt' })
  })

  it('is damaged in a range, and read no further for that', async () => {
    await files.create(name, once(sample(1_000_000)))
    for await (const _file of files.list('log/')) continue
    stored()[70_000] = (stored()[70_000] as number) ^ 1
    const read = replica.files.read.bind(replica.files)
    const lengths: number[] = []
    const watched = {
      ...replica.files,
      read: async (...given: Parameters<typeof read>) => {
        const bytes = await read(...given)
        lengths.push(bytes?.length ?? 0)
        return bytes
      },
    }
    const reader = new EncryptedFiles(watched, cipher)
    expect(await reader.read(name, { start: 0, end: 100 })).toEqual(sample(100))
    await expect(reader.read(name, { start: 66_000, end: 66_100 })).rejects.toMatchObject({ code: 'ReplicaCorrupt' })
    expect(Math.max(...lengths)).toBeLessThan(66_000)
  })

  it('is found again when another one has taken its name', async () => {
    await files.create(name, once(sample(100_000)))
    for await (const _file of files.list('log/')) continue
    expect(await files.read(name, { start: 0, end: 5 })).toEqual(sample(5))
    const elsewhere = new EncryptedFiles(replica.files, cipher)
    await elsewhere.delete([name])
    await elsewhere.create(name, once(sample(100_000).reverse()))
    expect(await files.read(name, { start: 0, end: 5 })).toEqual(sample(100_000).reverse().slice(0, 5))
  })
})

describe('an encrypted replica', () => {
  let ports: MemoryPorts
  let store: Store
  let replica: MemoryReplica
  let keyring: ReturnType<typeof testKeyring>
  let claims = 0

  beforeEach(async () => {
    ports = memoryPorts()
    store = await openEngine(ports, { inlineMax: 8 })
    replica = memoryReplica()
    keyring = testKeyring('first')
    await store.buckets.create('box')
    await store.objects.put('box', 'short', 'short')
    await store.objects.put('box', 'long', 'a secret of a customer')
  })

  const opened = (encrypts = false, given: Keyring | undefined = keyring): Promise<ReplicaPorts> =>
    decryptedReplica({ ...replica, hashing }, { ciphers, keyring: given, encrypts })

  async function write(into: ReplicaPorts, id = 'one'): Promise<void> {
    const writer = { id, name: id }
    const claim = `claim ${++claims}`
    const { replicator } = await Replicator.begin({ from: ports, into, hashing, writer, claim, at: 0 })
    const head = await ports.journal.head()
    while (replicator.position < head) await replicator.copy(head)
  }

  async function restored(from: ReplicaPorts): Promise<Store> {
    const reader = new ReplicaReader(from, await readReplicaState(from))
    const into = memoryPorts()
    const { ids } = into
    const target = { name: 'there', journal: into.journal, blobs: into.blobs, close: async () => undefined }
    await restoreReplica({ name: 'replica', reader, into: target, hashing, ids, to: reader.end(), now: 0 })
    return openEngine(into, { inlineMax: 8 })
  }

  it('is restored and proven with the keyring', async () => {
    await write(await opened(true))
    const copy = await restored(await opened())
    expect(await (await copy.objects.get('box', 'long')).text()).toBe('a secret of a customer')
    expect(await (await copy.objects.get('box', 'short')).text()).toBe('short')
    const reading = await opened()
    const reader = new ReplicaReader(reading, await readReplicaState(reading))
    expect((await verifyReplica({ reader, hashing, blobs: 'read', isChosen: () => true })).findings).toEqual([])
  })

  it('has nothing in the clear but names', async () => {
    await write(await opened(true))
    for (const [name, bytes] of replica.files.stored) {
      if (name.startsWith('keys/')) continue
      for (const word of ['box', 'short', 'one', 'VARVEREP']) expect(Buffer.from(bytes).includes(word)).toBe(false)
    }
    for (const bytes of replica.blobs.bytes.values()) expect(Buffer.from(bytes).includes('secret')).toBe(false)
  })

  it('cannot be opened without its keyring', async () => {
    await write(await opened(true))
    await expect(decryptedReplica({ ...replica, hashing }, { ciphers, keyring: undefined })).rejects.toMatchObject({
      code: 'KeyUnavailable',
    })
    await expect(opened(true, testKeyring('another'))).rejects.toMatchObject({ code: 'KeyUnavailable' })
  })

  it('stays encrypted when its writer does not say so', async () => {
    await write(await opened(true))
    await store.objects.put('box', 'later', 'another secret')
    await write(await opened())
    for (const bytes of replica.blobs.bytes.values()) expect(Buffer.from(bytes).includes('secret')).toBe(false)
    expect((await readReplicaState(await opened())).head).toBe(await ports.journal.head())
  })

  it('is not made of one that was begun in the clear', async () => {
    await write(await opened())
    await expect(opened(true)).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'encrypt' },
    })
  })

  it('needs a master key to begin', async () => {
    await expect(
      decryptedReplica({ ...replica, hashing }, { ciphers, keyring: undefined, encrypts: true }),
    ).rejects.toMatchObject({ code: 'KeyUnavailable' })
  })

  it('can be read with the next master key alone when its writer was opened with it', async () => {
    await write(await opened(true))
    const next = testKeyring('second')
    for (const [name, key] of keyring.keys) next.keys.set(name, key)
    await write(await opened(true, next))
    next.keys.delete('first')
    expect((await readReplicaState(await opened(false, next))).head).toBe(await ports.journal.head())
  })

  it('has one secret when two writers begin at once', async () => {
    const [one, two] = await Promise.all([opened(true), opened(true)])
    await one.files.create('terms/00000009', once(sample(10)))
    expect(await two.files.read('terms/00000009')).toEqual(sample(10))
  })
})
