import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Copy, HealingObservation, SideRowKind, Timer } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'

const options = { inlineMax: 8, retentionMs: 1_000_000 } as const

/** A copy that has what the ports had when it was made. */
function copyOf(
  ports: MemoryPorts,
  name = 'copy',
): Copy & { requests: number; readonly blobs: Map<string, Uint8Array> } {
  const blobs = new Map(ports.blobs.bytes)
  const rows = new Map(ports.journal.rows)
  return {
    name,
    blobs,
    requests: 0,
    async open(id) {
      this.requests++
      const bytes = blobs.get(id)
      if (bytes === undefined) throw new StorageError('BlobMissing', 'No such blob.')
      return {
        size: bytes.length,
        read: async (into, start) => into.set(bytes.subarray(start, start + into.length)),
        close: async () => undefined,
      }
    },
    async sideRow(kind: SideRowKind, { id }) {
      this.requests++
      return rows.get(Buffer.from(sideRowKey(kind, id)).toString('latin1'))?.[1]
    },
  }
}

/** Pauses end when the test says so. */
function testTimer(): Timer & { elapse(): void } {
  let ends: (() => void)[] = []
  return {
    pause: (_ms, signal) =>
      new Promise((resolve, reject) => {
        ends.push(resolve)
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      }),
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    elapse() {
      for (const end of ends.splice(0)) end()
      ends = []
    },
  }
}

const large = 'a long content '.repeat(200_000)
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

let ports: MemoryPorts
let store: Store
let timer: ReturnType<typeof testTimer>
let seen: HealingObservation[]

async function openWith(...copies: readonly Copy[]): Promise<Store> {
  await store.close()
  const observer = { healing: (one: HealingObservation) => void seen.push(one) }
  store = await openEngine({ ...ports, timer, copies, observer }, options)
  return store
}

beforeEach(async () => {
  ports = memoryPorts()
  timer = testTimer()
  seen = []
  store = await openEngine(ports, options)
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.objects.put('box', 'long', large)
  await store.objects.put('box', 'short', 'short')
})

const read = async (key: string, of = store): Promise<string> => (await of.objects.get('box', key)).text()

const blobId = (): string => [...ports.blobs.bytes.keys()][0] as string

function damageBlob(change: (bytes: Uint8Array) => Uint8Array | undefined): void {
  const changed = change(Uint8Array.from(ports.blobs.bytes.get(blobId()) as Uint8Array))
  if (changed === undefined) ports.blobs.bytes.delete(blobId())
  else ports.blobs.bytes.set(blobId(), changed)
}

const flipped = (bytes: Uint8Array, at = bytes.length - 1): Uint8Array => {
  bytes[at] = (bytes[at] as number) ^ 1
  return bytes
}

const isInline = (key: string): boolean => key.charCodeAt(0) === sideRowKey('inline', '')[0]

function damageRow(change: (bytes: Uint8Array) => Uint8Array | undefined): void {
  const [name, [key, frame]] = [...ports.journal.rows].find(([one]) => isInline(one)) as [
    string,
    [Uint8Array, Uint8Array],
  ]
  const changed = change(Uint8Array.from(frame))
  if (changed === undefined) ports.journal.rows.delete(name)
  else ports.journal.rows.set(name, [key, changed])
}

async function healings(): Promise<readonly RecordedEvent<'BytesHealed'>[]> {
  const found: RecordedEvent<'BytesHealed'>[] = []
  for await (const event of store.log()) if (event.type === 'BytesHealed') found.push(event)
  return found
}

const damages = [
  ['flipped', flipped],
  ['cut', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 3)],
  ['longer', (bytes: Uint8Array) => Buffer.concat([bytes, Uint8Array.of(1)])],
  ['empty', () => new Uint8Array()],
  ['missing', () => undefined],
] as const

describe('a read of damaged bytes', () => {
  it.each(damages)('gives the bytes of a copy: a blob that is %s', async (_name, damage) => {
    await openWith(copyOf(ports))
    damageBlob(damage)
    expect(md5(await read('long'))).toBe(md5(large))
    expect(Buffer.from(ports.blobs.bytes.get(blobId()) ?? []).equals(Buffer.from(large))).toBe(true)
    expect(await healings()).toMatchObject([
      {
        data: {
          what: 'blob',
          blob: blobId(),
          from: 'copy',
          fault: ports.blobs.bytes.has(blobId()) ? expect.any(String) : 'missing',
        },
      },
    ])
  })

  it.each(damages)('gives the bytes of a copy: a row that is %s', async (_name, damage) => {
    await openWith(copyOf(ports))
    damageRow(damage)
    expect(await read('short')).toBe('short')
    expect(await read('short')).toBe('short')
    expect(await healings()).toMatchObject([{ data: { what: 'inline', from: 'copy' }, by: { name: 'healing' } }])
    expect((await store.verify()).divergences).toEqual([])
  })

  it('goes on where it met the damage', async () => {
    await openWith(copyOf(ports))
    const { body } = await store.objects.get('box', 'long')
    const chunks = body[Symbol.asyncIterator]()
    const first = await chunks.next()
    damageBlob((bytes) => flipped(bytes, 2_500_000))
    const rest: Uint8Array[] = [first.value as Uint8Array]
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      rest.push(Uint8Array.from(next.value))
    expect(Buffer.concat(rest).toString()).toBe(large)
  })

  it('heals for a range, and the whole', async () => {
    await openWith(copyOf(ports))
    damageBlob(flipped)
    const range = { first: large.length - 5, last: large.length - 2 }
    const { body } = await store.objects.get('box', 'long', { range })
    const found: Uint8Array[] = []
    for await (const bytes of body) found.push(Uint8Array.from(bytes))
    expect(large.includes(Buffer.concat(found).toString())).toBe(true)
    expect(await healings()).toHaveLength(1)
  })

  it('heals once for many readers', async () => {
    const copy = copyOf(ports)
    await openWith(copy)
    damageBlob(flipped)
    const found = await Promise.all(Array.from({ length: 20 }, () => read('long')))
    expect(new Set(found.map(md5))).toEqual(new Set([md5(large)]))
    expect(await healings()).toHaveLength(1)
  })

  it('takes the next copy where one is damaged, is another thing, or fails', async () => {
    const [damaged, other, failing] = [copyOf(ports, 'damaged'), copyOf(ports, 'other'), copyOf(ports, 'failing')]
    damaged.blobs.set(blobId(), flipped(Uint8Array.from(Buffer.from(large)), 7))
    other.blobs.set(blobId(), Buffer.from('b'.repeat(large.length)))
    failing.open = () => Promise.reject(new Error('no such host'))
    await openWith(damaged, other, failing, copyOf(ports, 'whole'))
    damageBlob(() => undefined)
    expect(md5(await read('long'))).toBe(md5(large))
    expect(await healings()).toMatchObject([{ data: { from: 'whole', fault: 'missing' } }])
  })

  it('refuses bytes whose checksums fit and whose digest does not', async () => {
    const short = 'x'.repeat(64)
    await store.objects.put('box', 'forged', short)
    const id = [...ports.blobs.bytes.keys()].at(-1) as string
    const copy = copyOf(ports)
    copy.blobs.set(id, sameCrc(Buffer.from(short)))
    await openWith(copy)
    ports.blobs.bytes.delete(id)
    await expect(read('forged')).rejects.toMatchObject({ code: 'BlobMissing' })
    expect(ports.blobs.bytes.has(id)).toBe(false)
  })

  it('is refused as before if no copy has the bytes, and what is there stays', async () => {
    const copy = copyOf(ports)
    copy.blobs.clear()
    await openWith(copy)
    damageBlob(flipped)
    const before = ports.blobs.bytes.get(blobId())
    await expect(read('long')).rejects.toMatchObject({ code: 'BlobCorrupt' })
    expect(ports.blobs.bytes.get(blobId())).toBe(before)
    expect(await healings()).toEqual([])
    await store.close()
    expect(seen).toEqual([{ what: 'blob', isHealed: false, errorCode: 'BlobMissing' }])
  })

  it('asks the copies again only after a while', async () => {
    const copy = copyOf(ports)
    copy.blobs.clear()
    await openWith(copy)
    damageBlob(flipped)
    for (let n = 0; n < 5; n++) await expect(read('long')).rejects.toMatchObject({ code: 'BlobCorrupt' })
    expect(copy.requests).toBe(1)
    ports.clock.time += 61_000
    await expect(read('long')).rejects.toMatchObject({ code: 'BlobCorrupt' })
    expect(copy.requests).toBe(2)
  })

  it('stops waiting for a copy that does not answer, and asks the next copy later', async () => {
    const silent = copyOf(ports, 'silent')
    silent.open = () => new Promise(() => undefined)
    await openWith(silent, copyOf(ports, 'whole'))
    damageBlob(flipped)
    const reading = read('long')
    await settle()
    timer.elapse()
    await expect(reading).rejects.toMatchObject({ code: 'BlobCorrupt' })
    await settle()
    expect(md5(await read('long'))).toBe(md5(large))
    expect(await healings()).toMatchObject([{ data: { from: 'whole' } }])
  })

  it('ends with the store', async () => {
    const silent = copyOf(ports, 'silent')
    silent.open = () => new Promise(() => undefined)
    await openWith(silent)
    damageBlob(flipped)
    const reading = read('long')
    reading.catch(() => undefined)
    await settle()
    await store.close()
    await expect(reading).rejects.toBeInstanceOf(StorageError)
  })
})

describe('healing', () => {
  it('brings nothing back that was erased', async () => {
    await openWith(copyOf(ports))
    const before = store.seq
    const id = blobId()
    const { versionId } = await store.objects.head('box', 'long')
    await store.versions.delete('box', 'long', versionId)
    ports.clock.time += 2_000_000
    await store.sweep()
    expect(ports.blobs.bytes.has(id)).toBe(false)
    const past = await store.at(before)
    await expect(past.objects.get('box', 'long')).rejects.toMatchObject({ code: 'ObjectErased' })
    expect(ports.blobs.bytes.has(id)).toBe(false)
    expect(await healings()).toEqual([])
  })

  it('brings no short bytes back that were erased', async () => {
    await openWith(copyOf(ports))
    const before = store.seq
    const { versionId } = await store.objects.head('box', 'short')
    await store.versions.delete('box', 'short', versionId)
    ports.clock.time += 2_000_000
    await store.sweep()
    await expect((await store.at(before)).objects.get('box', 'short')).rejects.toMatchObject({ code: 'ObjectErased' })
    expect([...ports.journal.rows.keys()].some(isInline)).toBe(false)
  })

  it('is done by a scrub, which does not count it as damage', async () => {
    await openWith(copyOf(ports))
    damageBlob(flipped)
    damageRow(() => undefined)
    expect(await store.scrub()).toMatchObject({ ok: true, found: 0, healed: 2 })
    expect(await store.scrub()).toMatchObject({ ok: true, found: 0 })
    expect(store.damage).toEqual([])
    await store.close()
    expect(new Set(seen.map(({ what, isHealed }) => `${what} ${isHealed}`))).toEqual(
      new Set(['blob true', 'inline true']),
    )
  })

  it('is done by verify, also of parts of uploads', async () => {
    const upload = await store.uploads.create('box', 'parts')
    const { etag } = await store.uploads.uploadPart(upload, 1, large)
    await store.uploads.complete(upload, [{ partNumber: 1, etag }])
    await openWith(copyOf(ports))
    for (const id of ports.blobs.bytes.keys()) ports.blobs.bytes.set(id, new Uint8Array(9))
    expect(await store.verify()).toMatchObject({ ok: true, found: 0, healed: 2 })
    expect(md5(await read('parts'))).toBe(md5(large))
  })

  it('leaves a store alone that is open only to be read', async () => {
    const { openForReading } = await import('../api/open-engine.ts')
    const copy = copyOf(ports)
    await store.close()
    damageBlob(flipped)
    store = await openForReading({ ...ports, timer, copies: [copy] }, { inlineMax: 8 })
    await expect(read('long')).rejects.toMatchObject({ code: 'BlobCorrupt' })
    expect(copy.requests).toBe(0)
  })

  it('heals a blob that several versions share once', async () => {
    await store.objects.copy({ bucket: 'box', key: 'short' }, 'box', 'again')
    await openWith(copyOf(ports))
    damageRow(flipped)
    expect([await read('again'), await read('short')]).toEqual(['short', 'short'])
    expect(await healings()).toHaveLength(1)
  })
})

async function settle(): Promise<void> {
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Other bytes of the same length and with the same CRC-32: four bytes at the end are chosen for that. */
function sameCrc(bytes: Uint8Array): Uint8Array {
  const wanted = hashing.crc32(bytes)
  const forged = Uint8Array.from(bytes)
  forged[0] = (forged[0] as number) ^ 0xff
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
    return c >>> 0
  })
  const before = hashing.crc32(forged.subarray(0, -4))
  let after = (wanted ^ 0xffffffff) >>> 0
  for (let n = 0; n < 4; n++) {
    const index = table.findIndex((entry) => entry >>> 24 === after >>> 24)
    after = (((after ^ (table[index] as number)) << 8) | index) >>> 0
  }
  const end = (after ^ before ^ 0xffffffff) >>> 0
  for (let n = 0; n < 4; n++) forged[forged.length - 4 + n] = (end >>> (8 * n)) & 0xff
  expect([hashing.crc32(forged), forged.length]).toEqual([wanted, bytes.length])
  return forged
}
