import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ByteSource } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { inspectSegments } from './inspect-segments.ts'
import { repairSegments } from './repair-segments.ts'
import { createTieredDirectories, tieredBlobs } from './tiered-blobs.ts'

const id = (n: number) => n.toString(16).padStart(32, '0')
const recordBytes = 1088

const scratch = scratchDirectory()
let directory = ''
let segment = ''

async function* once(bytes: Uint8Array): ByteSource {
  yield bytes
}

/** Blobs 1 to 4 in one segment of which blob 4 was deleted, left as a crash leaves it. */
beforeEach(async () => {
  directory = scratch.next()
  await mkdir(directory)
  await createTieredDirectories(directory)
  const blobs = await tieredBlobs(directory, { clearing: 'on-request' })
  for (const n of [1, 2, 3, 4]) await blobs.write(id(n), once(Buffer.alloc(1000, n)))
  await blobs.delete([id(4)])
  const [name = ''] = await readdir(join(directory, 'segments'))
  segment = name.replace('.segment', '')
  const bytes = await readFile(join(directory, 'segments', name))
  await blobs.close()
  await writeFile(join(directory, 'segments', name), bytes)
  await rename(join(directory, 'segments', `${segment}.index`), join(directory, 'index'))
})

async function spoil(at: number): Promise<void> {
  const path = join(directory, 'segments', `${segment}.segment`)
  const bytes = await readFile(path)
  bytes[at] = 99
  await writeFile(path, bytes)
}

async function look(): Promise<{ readonly listed: readonly string[]; readonly kinds: readonly string[] }> {
  const { blobs, divergences } = await inspectSegments(directory)
  const listed = []
  for await (const each of blobs.list()) listed.push(each)
  return { listed: listed.sort(), kinds: divergences.map(({ kind }) => kind) }
}

const aside = async (path: string) => {
  await mkdir(join(directory, 'aside'))
  await rename(join(directory, path), join(directory, 'aside', 'it'))
}

describe('a repair', () => {
  it('makes a damaged blob a file of its own, with the bytes it has, and the segment is rid of it', async () => {
    await spoil(64 + recordBytes + 64 + 500)
    await repairSegments(directory, { blobs: [id(2), id(9)], segments: [], takeAside: aside })
    const bytes = await readFile(join(directory, 'blobs', '00', id(2)))
    expect([bytes.length, bytes[0], bytes[500]]).toEqual([1000, 2, 99])
    await rename(join(directory, 'blobs', '00', id(2)), join(directory, 'taken'))
    expect(await look()).toEqual({ listed: [id(1), id(3)], kinds: [] })
    const blobs = await tieredBlobs(directory, { clearing: 'on-request', liveMin: 1 })
    expect(await blobs.compact()).toBeGreaterThan(0)
    await blobs.close()
    expect(await look()).toEqual({ listed: [id(1), id(3)], kinds: [] })
  })

  it('takes a segment aside in which something cannot even be named, and keeps what else was in it', async () => {
    await spoil(64 + recordBytes + 3)
    expect(await look()).toEqual({ listed: [id(1), id(3)], kinds: ['SegmentDamaged'] })
    await repairSegments(directory, { blobs: [], segments: [segment], takeAside: aside })
    const kept = await readFile(join(directory, 'aside', 'it'))
    expect(kept.includes(Buffer.alloc(1000, 2))).toBe(true)
    expect((await look()).listed).toEqual([id(1), id(3)])
    const blobs = await tieredBlobs(directory)
    await blobs.discardUnfinished()
    await blobs.close()
    expect(await look()).toEqual({ listed: [id(1), id(3)], kinds: [] })
  })

  it('leaves a segment in place while it holds a damaged blob that was not taken out', async () => {
    await spoil(64 + recordBytes + 64 + 500)
    await repairSegments(directory, { blobs: [], segments: [segment], takeAside: aside })
    expect((await look()).listed).toEqual([id(1), id(2), id(3)])
  })

  it('makes a damaged index again', async () => {
    await writeFile(join(directory, 'segments', `${segment}.index`), 'nonsense')
    expect((await look()).kinds).toEqual(['SegmentDamaged'])
    await repairSegments(directory, { blobs: [], segments: [], takeAside: aside })
    expect(await look()).toEqual({ listed: [id(1), id(2), id(3)], kinds: [] })
  })
})
