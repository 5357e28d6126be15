/** `varve verify --repair` and `--salvage`: what is made again, what is kept aside, what is saved. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openLevelDirectory } from '@varve/adapters'
import { beforeEach, describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { jsonLines, scratchPaths, varve } from './run-varve.ts'

const next = scratchPaths()
let dir: string

beforeEach(async () => {
  dir = next()
  const store = await openStore(dir, { inlineMax: 8 })
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a', 'some bytes of a')
  await store.objects.put('photos', 'b', 'small')
  await store.objects.put('photos', 'c', 'some bytes of c')
  await store.close()
})

const inDir = (...args: string[]) => varve([...args, '--dir', dir])

async function blobOf(bytes: string): Promise<string> {
  const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    if ((await readFile(path, 'utf8')) === bytes) return path
  }
  throw new Error('No such blob.')
}

/** Changes LevelDB behind the store's back, and removes the seal that would reveal it. */
async function inLevel(work: (db: Awaited<ReturnType<typeof openLevelDirectory>>) => Promise<void>): Promise<void> {
  const db = await openLevelDirectory(join(dir, 'events'))
  await work(db)
  await db.close()
  await rm(join(dir, 'seal'))
}

const eventKey = (seq: number): Uint8Array => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, seq)

describe('varve verify --repair', () => {
  it('keeps damaged bytes aside, with a note, and lists the object all the same', async () => {
    const path = await blobOf('some bytes of a')
    const id = path.slice(-32)
    await writeFile(path, 'some bytez of a')
    const { status, stdout } = await inDir('verify', '--repair')
    expect(status).toBe(4)
    expect(stdout).toContain(`went to quarantine/${id}`)
    expect(stdout).toContain('BlobMissing: A blob is missing. (s3://photos/a')
    expect(await readFile(join(dir, 'quarantine', id), 'utf8')).toBe('some bytez of a')
    expect(JSON.parse(await readFile(join(dir, 'quarantine', `${id}.json`), 'utf8'))).toMatchObject({
      kind: 'BlobCorrupt',
      seq: 3,
      of: { bucket: 'photos', key: 'a', versionId: 'null' },
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    })
    expect((await inDir('ls', 's3://photos')).stdout).toContain('a')
    expect(await inDir('cat', 's3://photos/a')).toMatchObject({ status: 5, stdout: '' })
    expect(await inDir('cat', 's3://photos/c')).toMatchObject({ status: 0, stdout: 'some bytes of c' })
  })

  it('makes rows again that somebody dropped or changed', async () => {
    await inLevel(async (db) => {
      const batch = db.batch()
      batch.del(Uint8Array.of(1, 1))
      await batch.write({ sync: true })
    })
    expect((await inDir('verify')).stdout).toContain('RowMissing: A row is missing. (event 5, table head, 01)')
    const { status, stdout } = await inDir('verify', '--repair')
    expect(stdout).toContain("Made the log's database again from its 5 events")
    expect(status).toBe(0)
    expect(await inDir('verify')).toMatchObject({ status: 0 })
    expect(await inDir('cat', 's3://photos/b')).toMatchObject({ status: 0, stdout: 'small' })
  })

  it('opens a store again whose LevelDB lost its way', async () => {
    await rm(join(dir, 'events', 'CURRENT'))
    expect(await inDir('ls')).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('CURRENT: it is gone') as string,
    })
    expect(await inDir('verify', '--repair')).toMatchObject({ status: 0 })
    expect(await inDir('cat', 's3://photos/a')).toMatchObject({ status: 0, stdout: 'some bytes of a' })
  })

  it('changes nothing where the log itself is damaged', async () => {
    await inLevel(async (db) => {
      const batch = db.batch()
      batch.del(eventKey(2))
      await batch.write({ sync: true })
    })
    const before = (await readdir(dir)).sort()
    const { status, stderr } = await inDir('verify', '--repair')
    expect(status).toBe(5)
    expect(stderr).toContain(
      'Event 2 is missing. Nothing was changed. (LogCorrupt)\nHint: Save the events that are whole with `varve verify --salvage`.',
    )
    expect((await readdir(dir)).sort()).toEqual([...before, 'scratch'].sort())
  })
})

describe('varve verify --repair of a log that lost its end, and the witness of it', () => {
  it('changes nothing: what was acknowledged may be missing', async () => {
    const [log] = (await readdir(join(dir, 'events'))).filter((name) => name.endsWith('.log'))
    await writeFile(join(dir, 'events', String(log)), 'the witness, by mistake')
    await writeFile(join(dir, 'witness'), 'the log, by mistake')
    const { status, stderr } = await inDir('verify', '--repair')
    expect(status).toBe(5)
    expect(stderr).toContain('nobody knows its end')
    expect(await readFile(join(dir, 'witness'), 'utf8')).toBe('the log, by mistake')
  })
})

describe('varve verify --salvage', () => {
  it('saves the events that are whole in a store of its own, and lists what is lost', async () => {
    await inLevel(async (db) => {
      const batch = db.batch()
      batch.del(eventKey(5))
      await batch.write({ sync: true })
    })
    await rm(await blobOf('some bytes of a'))
    const into = next()
    const { status, stdout } = await inDir('verify', '--salvage', into, '--json')
    expect(status).toBe(4)
    expect(jsonLines(stdout).at(-1)).toEqual({ kind: 'salvaged', events: 4, eventsLost: 1, bytesLost: 1 })
    expect((await varve(['cat', 's3://photos/b', '--dir', into])).stdout).toBe('small')
    expect(await varve(['cat', 's3://photos/a', '--dir', into])).toMatchObject({ status: 5 })
    expect(await varve(['cat', 's3://photos/c', '--dir', into])).toMatchObject({ status: 1 })
    expect(await inDir('verify', '--salvage', into)).toMatchObject({ status: 1 })
    expect(await inDir('verify', '--salvage', into, '--repair')).toMatchObject({ status: 2 })
  })
})
