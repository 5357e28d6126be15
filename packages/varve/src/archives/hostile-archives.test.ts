/** Archives that were cut, damaged or forged: a coded error, little memory, and nothing wrong in the store. */
import { readFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isStorageError, memoryStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { exportArchive, importArchive, verifyArchive } from './archives.ts'
import { chunksOf, type Member, membersOf, redocumented, sealed, tarOf } from './tar-file.fixture.ts'
import { tarHeader } from './tar-header.ts'

const scratch = scratchDirectory()
let bytes: Buffer
let members: Member[]

beforeAll(async () => {
  const store = await memoryStore()
  await store.buckets.create('photos', { versioning: 'Enabled' })
  for (const text of ['one', 'two']) await store.objects.put('photos', 'a', text)
  await store.objects.put('photos', 'b', 'x'.repeat(3000))
  await store.objects.delete('photos', 'c')
  const dir = scratch.next()
  await mkdir(dir)
  await exportArchive(store, join(dir, 'a.varve'), { bucket: 'photos', withHistory: true })
  await store.close()
  bytes = await readFile(join(dir, 'a.varve'))
  members = await membersOf(bytes)
})

const at = (path: string): number => members.findIndex((member) => member.path === path)
const newest = 'metadata/000000/000/002.json'

/** The archive with one member changed, as a forger would. */
function forged(path: string, change: (document: Record<string, unknown>) => void): Buffer {
  return sealed(members.map((member) => (member.path === path ? redocumented(member, change) : member)))
}

const fault = async (archive: Buffer) =>
  verifyArchive(chunksOf(archive)).then(
    () => 'sound',
    (error: unknown) => (isStorageError(error, 'ArchiveCorrupt') ? error.details['kind'] : error),
  )

describe('a damaged archive', () => {
  it('is refused wherever it is cut', async () => {
    await expect(fault(bytes)).resolves.toBe('sound')
    for (let end = 0; end < bytes.length; end += 97) {
      expect(await fault(bytes.subarray(0, end)), `cut at ${end}`).toBe('torn')
    }
  })

  it('is refused wherever a byte is another one', async () => {
    for (let place = 0; place < bytes.length; place += 101) {
      const other = Buffer.from(bytes)
      other[place] = (other[place] as number) ^ 0x41
      expect(await fault(other), `byte ${place}`).not.toBe('sound')
      expect(isStorageError(await fault(other)), `byte ${place}`).toBe(false)
    }
  })

  it('is refused without one of its members, with one twice, and with two of them changed round', async () => {
    for (let i = 0; i < members.length - 1; i++) {
      expect(await fault(sealed(members.toSpliced(i, 1))), `without ${members[i]?.path}`).not.toBe('sound')
      expect(await fault(sealed(members.toSpliced(i, 0, members[i] as Member))), `twice ${i}`).not.toBe('sound')
      const [one, two] = [members[i] as Member, members[i + 1] as Member]
      expect(await fault(sealed(members.toSpliced(i, 2, two, one))), `round ${i}`).toBe(
        i === members.length - 2 ? 'sound' : 'order',
      )
    }
  })
})

describe('a forged archive', () => {
  it.each<readonly [string, string, (document: Record<string, unknown>) => void]>([
    ['a path that leads out', newest, (version) => (version['path'] = '../../etc/passwd')],
    ['an absolute path', newest, (version) => (version['path'] = '/etc/passwd')],
    ['the path of another key', newest, (version) => (version['path'] = 'objects/b')],
    ['a key that is too long', newest, (version) => (version['key'] = 'x'.repeat(2000))],
    ['a key of half a character', newest, (version) => (version['key'] = '\ud800')],
    ['a key that is a number', newest, (version) => (version['key'] = 7)],
    ['fields that are unknown', newest, (version) => (version['__proto__x'] = 1)],
    ['no size', newest, (version) => delete version['size']],
    ['a negative size', newest, (version) => (version['size'] = -1)],
    ['no digest', newest, (version) => delete version['sha256']],
    ['a retention that is a text', newest, (version) => (version['retention'] = 'forever')],
    ['a version that is none', 'varve-archive.json', (manifest) => (manifest['version'] = 'one')],
    ['contents of another kind', 'varve-archive.json', (manifest) => (manifest['contents'] = 'soup')],
    ['settings that are none', 'bucket.json', (bucket) => (bucket['settings'] = { Soup: 1 })],
    ['a name of the bucket that is none', 'bucket.json', (bucket) => (bucket['name'] = '')],
  ])('is refused for %s', async (_name, path, change) => {
    expect(await fault(forged(path, change))).toBe('document')
  })

  it('is refused for a digest of other bytes', async () => {
    const forgery = forged(newest, (version) => (version['sha256'] = '0'.repeat(64)))
    expect(await fault(forgery)).toBe('digest')
  })

  it('is refused for an ETag of other bytes', async () => {
    expect(await fault(forged(newest, (version) => (version['etag'] = '0'.repeat(32))))).toBe('digest')
  })

  it('is refused for numbers that are not its own', async () => {
    expect(await fault(sealed(members, (end) => (end['objects'] = 1_000_000_000)))).toBe('counts')
    expect(await fault(sealed(members, (end) => (end['members'] = 1_000_000_000)))).toBe('counts')
    expect(await fault(sealed(members, (end) => (end['objects'] = -1)))).toBe('document')
  })

  it('is refused for versions without a history', async () => {
    expect(await fault(forged('varve-archive.json', (manifest) => (manifest['history'] = false)))).toBe('document')
  })

  it('of a newer release says so', async () => {
    const newer = forged('varve-archive.json', (manifest) => (manifest['version'] = 2))
    await expect(verifyArchive(chunksOf(newer))).rejects.toMatchObject({ code: 'UnsupportedFormat' })
  })

  it('is refused for events that are none, and for those out of order', async () => {
    const events = at('events/000000001.jsonl')
    const lines = members[events]?.body.toString().trimEnd().split('\n') ?? []
    const withLines = (given: readonly string[]) =>
      sealed(members.with(events, { path: 'events/000000001.jsonl', body: Buffer.from(given.join('\n') + '\n') }))
    expect(await fault(withLines(lines.toReversed()))).toBe('order')
    expect(await fault(withLines(['{"seq":"1"}']))).toBe('document')
    expect(await fault(withLines(['no JSON']))).toBe('document')
  })

  it('is refused for bytes behind its end', async () => {
    expect(await fault(Buffer.concat([bytes, Buffer.alloc(512, 1)]))).toBe('trailing')
    expect(await fault(Buffer.concat([bytes, Buffer.alloc(10_240)]))).toBe('sound')
  })
})

describe('what is no archive', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'torn'],
    ['zeroes', Buffer.alloc(4096), 'torn'],
    ['a text', Buffer.from('hello'.repeat(500)), 'header'],
    ['another tar file', tarOf([{ path: 'readme', body: Buffer.from('x') }]), 'order'],
  ])('is refused: %s', async (_name, archive, kind) => {
    expect(await fault(archive)).toBe(kind)
  })

  it.each([
    ['a link', '2'],
    ['a directory', '5'],
    ['a device', '3'],
    ['a global header', 'g'],
  ])('is refused: a tar file with %s', async (_name, type) => {
    const header = Buffer.from(tarHeader({ path: 'varve-archive.json', size: 0 }, 0))
    const old = header[156] as number
    header.write(type, 156)
    const sum = Number.parseInt(header.toString('latin1', 148, 154), 8) - old + type.charCodeAt(0)
    header.write(sum.toString(8).padStart(6, '0'), 148)
    expect(await fault(Buffer.concat([header, Buffer.alloc(1024)]))).toBe('header')
  })

  it.each([['text'], [{ length: 512 }], [512], [null], [new ArrayBuffer(512)]])(
    'is refused: a stream that has the chunk %j',
    async (chunk) => {
      let isClosed = false
      const stream = async function* () {
        try {
          yield chunk as never
        } finally {
          isClosed = true
        }
      }
      const into = await memoryStore()
      for (const call of [() => verifyArchive(stream()), () => importArchive(into, stream())]) {
        isClosed = false
        await expect(call()).rejects.toMatchObject({ code: 'InvalidArgument', details: { ArgumentName: 'from' } })
        expect(isClosed).toBe(true)
      }
      await into.close()
    },
  )

  it('takes little memory, whatever it claims', async () => {
    const claims = [
      tarHeader({ path: 'varve-archive.json', size: 8 * 1024 ** 4 }, 0),
      tarHeader({ path: 'p'.repeat(20_000), size: 1 }, 0),
      tarHeader({ path: 'varve-archive.json', size: 1024 ** 3 }, 0),
    ]
    for (const header of claims) {
      const kinds = await fault(Buffer.concat([header, Buffer.alloc(4096)]))
      expect(['document', 'header']).toContain(kinds)
    }
  })
})

describe('an import of a forged archive', () => {
  let store: Store
  afterAll(() => store.close())

  it('stores no object whose bytes are not those of its digest, even if it is not verified first', async () => {
    store = await memoryStore()
    const content = at('objects/b')
    const forgery = sealed(members.with(content, { path: 'objects/b', body: Buffer.alloc(3000, 'y') }))
    await expect(importArchive(store, chunksOf(forgery))).rejects.toMatchObject({ code: 'ArchiveCorrupt' })
    expect(await store.objects.exists('photos', 'a')).toBe(true)
    expect(await store.objects.exists('photos', 'b')).toBe(false)
  })
})
